"""Settings that hold for every test."""

from hypothesis import HealthCheck, settings

# A busy machine is no fault of the code: no test here says anything about time.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")
