"""What a person types after ``--model`` becomes a model, or one clear error."""

from pathlib import Path

import pytest

from exambench.errors import ConfigError
from exambench.evaluation.model_files import find_model, named_model
from exambench.models import BaselineEndpoint, OpenAIEndpoint


def test_a_name_at_an_address_is_an_openai_compatible_endpoint() -> None:
    """The name is everything before the last @ in front of the address."""
    model = find_model("org/model@v2@http://127.0.0.1:8000/v1/")
    assert model.name == "org/model@v2"
    assert isinstance(model.endpoint, OpenAIEndpoint)
    assert model.endpoint.base_url == "http://127.0.0.1:8000/v1"
    assert model.identity == "org/model@v2@http://127.0.0.1:8000/v1"


@pytest.mark.parametrize("address", ["http://user:secret@host/v1", "http://host/v1?key=secret"])
def test_an_address_with_a_secret_in_it_is_refused_without_repeating_it(address: str) -> None:
    """A key in an address would reach the store, so it never gets further than the command line."""
    with pytest.raises(ConfigError) as caught:
        find_model(f"m@{address}")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("strategy", ["random", "first", "longest", "oracle"])
def test_a_baseline_is_a_model_that_sees_pictures(strategy: str) -> None:
    """Baselines sit every item."""
    model = find_model(f"baseline/{strategy}")
    assert isinstance(model.endpoint, BaselineEndpoint)
    assert model.capabilities.images


@pytest.mark.parametrize("name", ["baseline/best", "nobody", "no-such-file.toml", "m@ftp://host", ""])
def test_what_is_no_model_is_one_error_that_names_what_is(name: str) -> None:
    """A slip in the name is told with everything that would have been accepted."""
    with pytest.raises(ConfigError, match="baseline/random"):
        find_model(name)


@pytest.mark.parametrize("suffix", [".toml", ".yaml", ".yml"])
def test_a_model_file_is_toml_or_yaml(tmp_path: Path, suffix: str) -> None:
    """Both formats say the same, and an endpoint without a kind is OpenAI-compatible."""
    path = tmp_path / f"model{suffix}"
    toml = 'name = "m"\n[endpoint]\nbase_url = "http://h/v1"\n[decoding]\ntemperature = 0.5\n'
    yaml = "name: m\nendpoint:\n  base_url: http://h/v1\ndecoding:\n  temperature: 0.5\n"
    path.write_text(toml if suffix == ".toml" else yaml, encoding="utf-8")
    model = find_model(str(path))
    assert (model.name, model.decoding.temperature) == ("m", 0.5)
    assert isinstance(model.endpoint, OpenAIEndpoint)


def test_an_unknown_key_of_a_model_file_is_named(tmp_path: Path) -> None:
    """A misspelt setting is an error, never a setting that silently does nothing."""
    path = tmp_path / "model.toml"
    path.write_text('name = "m"\ntemprature = 1\n[endpoint]\nbase_url = "http://h/v1"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"model\.toml, field temprature"):
        find_model(str(path))


@pytest.mark.parametrize("text", ["", "[", "- a\n- b", "name: [", "\x00"])
def test_a_file_that_is_no_table_is_refused(tmp_path: Path, text: str) -> None:
    """A broken or empty file is one error with its name."""
    path = tmp_path / "model.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"model\.yaml"):
        find_model(str(path))


@pytest.mark.parametrize("address", ["http://[::1", "http://127.0.0.1:99999/v1", "http://.../", "http://" + "a" * 300])
def test_an_address_that_no_request_could_go_to_is_refused(address: str) -> None:
    """A bad host or port is one error before anything is asked, and no traceback."""
    with pytest.raises(ConfigError, match="base_url"):
        find_model(f"m@{address}")


@pytest.mark.parametrize(
    "line", ['api_key = "kq9zSECRET77"', 'api_key_env = "kq9zSECRET77"', 'headers = { X-Api = "kq9zSECRET77" }']
)
def test_a_key_in_a_model_file_is_refused_and_not_repeated(tmp_path: Path, line: str) -> None:
    """A key where its variable's name belongs, or under a field of its own, shows in no message."""
    path = tmp_path / "model.toml"
    path.write_text(f'name = "m"\n[endpoint]\nbase_url = "http://h/v1"\n{line}\n', encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        find_model(str(path))
    assert "SECRET" not in str(caught.value)


def test_a_key_among_further_fields_of_a_request_is_refused_and_not_repeated(tmp_path: Path) -> None:
    """What is sent in the body is stored and shown; a key has its own place, which is neither."""
    path = tmp_path / "model.toml"
    table = '[endpoint]\nbase_url = "http://h/v1"\n[decoding.extra_body]\napi_key = "kq9zSECRET77"\nmin_p = 0.1\n'
    path.write_text(f'name = "m"\n{table}', encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        find_model(str(path))
    assert "SECRET" not in str(caught.value)


def test_a_key_after_the_option_for_its_variable_is_not_repeated() -> None:
    """``--api-key-env`` takes the name of a variable; a key there is refused unseen."""
    with pytest.raises(ConfigError) as caught:
        named_model("m@http://h/v1", vision=False, api_key_env="kq9zSECRET77")
    assert "SECRET" not in str(caught.value)
