"""Every numeric item of kmet-mini, solved again from first principles: one choice fits, it is the keyed one.

Constants are those that the stem states; where it states none, textbook values stand beside the formula. Values that a
reader takes from a chart are given as numbers here, in the units of the chart.
"""

import json
import math
import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import pytest

ITEMS: dict[str, dict[str, Any]] = {
    item["source_id"]: item
    for item in json.loads((files("exambench.benchmarks") / "kmet_mini" / "kmet-mini.json").read_text(encoding="utf-8"))
}

KELVIN = 273.15


def number(text: str) -> float:
    r"""Read the first number of a choice: plain, with separators, ``a\times10^{b}``, or a time of day in hours."""
    clock = re.fullmatch(r"(\d+)시(?: (\d+)분)?", text)
    if clock:
        return int(clock[1]) + int(clock[2] or 0) / 60
    found = re.search(r"([+−-]?[\d,]*\.?\d+)(?:\\times10\^\{(-?\d+)\})?", text)
    assert found, text
    return float(found[1].replace(",", "").replace("−", "-")) * 10.0 ** int(found[2] or 0)


@dataclass(frozen=True)
class Solved:
    """An item's answer, computed; a rounded choice may differ from it by ``rounding``."""

    source_id: str
    value: float
    rounding: float


def threat_score() -> float:
    """CSI = hits / (hits + misses + false alarms)."""
    return 36 / (36 + 12 + 24)


def layer_temperature() -> float:
    """Hypsometric equation: Tv = g dZ / (R ln(p1/p2)), here in degrees Celsius."""
    return 9.8 * 5400 / (287 * math.log(1000 / 500)) - KELVIN


def front_arrival() -> float:
    """240 km at 40 km/h from nine o'clock."""
    return 9 + 240 / 40


def crosswind() -> float:
    """The component across the runway, V sin 30°; a knot is 1852 m in an hour."""
    return 36 * math.sin(math.radians(30)) * 1852 / 3600


def sea_level_pressure() -> float:
    """P0 = p exp(g z / (R Tv))."""
    return 1000.0 * math.exp(9.81 * 100 / (287 * 288))


def psychrometer_humidity() -> float:
    """Vapour pressure e = es(Tw) - A p (T - Tw), over saturation at the dry bulb."""
    return 100 * (17.0 - 6.6e-4 * 1000 * (20.0 - 15.0)) / 23.4


def radar_range() -> float:
    """The echo returns before the next pulse: r = c / (2 PRF), in km."""
    return 3.0e8 / (2 * 600) / 1000


def rain_rate() -> float:
    """Z = 10^(dBZ/10) and R = (Z/200)^(1/1.6)."""
    return float((10 ** (40 / 10) / 200) ** (1 / 1.6))


def rain_depth() -> float:
    """Volume (942 cm³) over the area of a mouth of 10 cm radius, in mm."""
    return 942 / (math.pi * 10**2) * 10


def bulk_shear() -> float:
    """Read from the chart: (0, 5) m/s at the ground, (20, 20) m/s at 6 km."""
    return math.hypot(20 - 0, 20 - 5)


def geostrophic_speed() -> float:
    """Read from the chart: 4 hPa in 250 km; Vg = (dp/dn) / (rho 2 Omega sin 30°)."""
    return (400 / 250e3) / (1.2 * 2 * 7.29e-5 * math.sin(math.radians(30)))


def thermal_wind() -> float:
    """Du = -(R/f) ln(p1/p2) dT/dy."""
    return -(287 / 1.0e-4) * math.log(1000 / 500) * (-1.5 / 100e3)


def omega_aloft() -> float:
    """Continuity in pressure coordinates, dw/dp = -D, from 1000 hPa (w = 0) to 900 hPa; in Pa/s."""
    divergence = -2e-5
    return -divergence * (900e2 - 1000e2)


def solid_body_vorticity() -> float:
    """Twice the angular velocity V/r."""
    return 2 * 30 / 300e3


def inertial_period() -> float:
    """T = 2 pi / f at 30°, in hours."""
    return 2 * math.pi / (2 * 7.29e-5 * math.sin(math.radians(30))) / 3600


def stationary_wavelength() -> float:
    """0 = U - beta/k², so L = 2 pi sqrt(U/beta), in km."""
    return 2 * math.pi * math.sqrt(20 / 1.6e-11) / 1000


def stretched_vorticity() -> float:
    """(zeta + f)/dp is conserved."""
    return 1.0e-4 * 600 / 500 - 1.0e-4


def foehn_temperature() -> float:
    """Read from the chart: 16 °C, 12 °C, 1300 m. Dry to the condensation level, moist to the summit, dry down."""
    level = 125 * (16 - 12)
    summit = 16 - 1.0 * level / 100 - 0.5 * (1300 - level) / 100
    return summit + 1.0 * 1300 / 100


def warmth_index() -> float:
    """Sum of (T - 5) over the months above 5 °C."""
    months = (-3, 0, 5, 12, 17, 22, 25, 25, 20, 14, 7, 0)
    return sum(month - 5 for month in months if month > 5)


def carbon_dioxide_forcing() -> float:
    """5.35 ln(C/C0)."""
    return 5.35 * math.log(420 / 280)


def temperature_at_height() -> float:
    """The lapse rate between 200 m and 800 m, carried on to 1500 m."""
    rate = (12.4 - 8.8) / (800 - 200)
    return 8.8 - rate * (1500 - 800)


def _saturation(celsius: float) -> float:
    """Saturation vapour pressure over water in hPa (Bolton 1980, equation 10)."""
    return 6.112 * math.exp(17.67 * celsius / (celsius + 243.5))


def condensation_level() -> float:
    """Read from the chart: 28 °C and 16 °C at 1000 hPa; the pressure where the lifted parcel saturates, in hPa.

    Bisection on w = 0.622 e/(p - e) with w conserved and T = T0 (p/p0)^0.286.
    """
    ratio = 0.622 * _saturation(16) / (1000 - _saturation(16))
    low, high = 500.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        saturation = _saturation((28 + KELVIN) * (middle / 1000) ** 0.286 - KELVIN)
        if 0.622 * saturation / (middle - saturation) < ratio:
            low = middle
        else:
            high = middle
    return middle


def wien_temperature() -> float:
    """Read from the chart: the maximum of X lies at 12 μm."""
    return 2898 / 12


def potential_temperature() -> float:
    """Theta = T (1000/p)^0.286."""
    return float(KELVIN * (1000 / 700) ** 0.286)


def latent_warming() -> float:
    """L dw / cp."""
    return 2.5e6 * 2e-3 / 1004


def mixing_ratio() -> float:
    """W = 0.622 e/(p - e), in g/kg."""
    return 1000 * 0.622 * 16.0 / (1000 - 16.0)


def fall_speed() -> float:
    """Stokes: v = 2 r² rho g / (9 mu), in cm/s."""
    return 100 * 2 * (10e-6) ** 2 * 1000 * 9.8 / (9 * 1.8e-5)


def solar_noon() -> float:
    """Four minutes a degree west of the standard meridian of UTC+9, 135°E."""
    return 12 + (9 * 15 - 127.5) * 4 / 60


SOLVED = (
    Solved("P1-04", threat_score(), 0.005),
    Solved("P1-05", layer_temperature(), 0.5),
    Solved("P1-06", front_arrival(), 0.01),
    Solved("P2-05", crosswind(), 0.05),
    Solved("P2-06", sea_level_pressure(), 0.05),
    Solved("P2-07", psychrometer_humidity(), 0.5),
    Solved("P2-08", radar_range(), 0.5),
    Solved("P2-09", rain_rate(), 0.5),
    Solved("P2-10", rain_depth(), 0.5),
    Solved("P3-01", bulk_shear(), 0.5),
    Solved("P3-03", geostrophic_speed(), 0.5),
    Solved("P3-04", thermal_wind(), 0.5),
    Solved("P3-05", omega_aloft(), 0.01),
    Solved("P3-06", solid_body_vorticity(), 1e-6),
    Solved("P3-07", inertial_period(), 0.5),
    Solved("P3-08", stationary_wavelength(), 50),
    Solved("P3-09", stretched_vorticity(), 1e-6),
    Solved("P4-03", foehn_temperature(), 0.05),
    Solved("P4-08", warmth_index(), 0.01),
    Solved("P4-09", carbon_dioxide_forcing(), 0.05),
    Solved("P4-10", temperature_at_height(), 0.05),
    Solved("P5-01", condensation_level(), 5),
    Solved("P5-04", wien_temperature(), 5),
    Solved("P5-05", potential_temperature(), 0.5),
    Solved("P5-06", latent_warming(), 0.05),
    Solved("P5-07", mixing_ratio(), 0.05),
    Solved("P5-09", fall_speed(), 0.05),
    Solved("P5-11", solar_noon(), 0.01),
)
"""All numeric items."""


@pytest.mark.parametrize("solved", SOLVED, ids=lambda solved: solved.source_id)
def test_the_keyed_choice_alone_fits_the_computed_answer(solved: Solved) -> None:
    """The key is within the rounding of the choices; each other choice is off by at least four times that."""
    item = ITEMS[solved.source_id]
    gaps = [abs(number(choice["text"]) - solved.value) for choice in item["choices"]]
    keyed = gaps.pop(item["answer"] - 1)
    assert keyed <= solved.rounding + 1e-9
    assert min(gaps) >= 4 * solved.rounding


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("약 −17 °C", -17),
        ("$-0.2\\ \\mathrm{Pa\\,s^{-1}}$", -0.2),
        ("약 14,000 km", 14000),
        ("$1.2\\times10^{-4}\\ \\mathrm{s^{-1}}$", 1.2e-4),
        ("16시 30분", 16.5),
        ("12시 00분", 12),
    ],
)
def test_a_choice_is_read_as_its_number(text: str, expected: float) -> None:
    """Signs, separators, powers of ten and times of day are read as a person reads them."""
    assert number(text) == pytest.approx(expected, rel=1e-12)
