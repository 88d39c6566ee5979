"""The wheel holds all that tagging needs: built, installed in an empty environment, used away from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("build")
pytest.importorskip("hatchling")

ABSTRACT = "We prove that gradient descent converges at a linear rate and give a matching lower bound."


@pytest.fixture(scope="module")
def wheel(repository, tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(directory), str(repository)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = directory.iterdir()
    return built


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory) -> Path:
    """A virtual environment with the wheel and numpy, and no other package."""
    directory = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(directory)], check=True)
    packages = next(directory.glob("lib/python*/site-packages"))
    installed = Path(np.__file__).parent.parent
    for name in ("numpy", "numpy.libs"):
        if (installed / name).is_dir():
            (packages / name).symlink_to(installed / name)
    pip = [sys.executable, "-m", "pip", "--python", str(directory / "bin" / "python"), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)], check=True)
    return directory


def run(environment: Path, *command: str, cwd: Path, **options) -> subprocess.CompletedProcess:
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    program = str(environment / "bin" / command[0])
    return subprocess.run(
        [program, *command[1:]], cwd=cwd, env=variables, capture_output=True, text=True, timeout=60, **options
    )


def test_the_library_tags_a_text_with_the_shipped_model(environment, tmp_path):
    program = (
        "import sys, tagger\n"
        f"print(tagger.load().tag({ABSTRACT!r}).areas, tagger.__file__)\n"
        "assert 'sklearn' not in sys.modules\n"
    )
    done = run(environment, "python", "-W", "error", "-c", program, cwd=tmp_path)
    assert done.stderr == ""
    assert done.stdout.startswith("('theory',)")
    assert str(environment) in done.stdout


def test_the_command_tags_a_file_with_the_shipped_model(environment, tmp_path):
    (tmp_path / "list.txt").write_text(ABSTRACT)
    done = run(environment, "tagger", "tag", "list.txt", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["areas"] == ["theory"]


def test_the_command_shows_the_shipped_model(environment, tmp_path):
    done = run(environment, "tagger", "info", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "reasoning, efficiency, multimodal, theory" in done.stdout


def test_the_wheel_holds_packages_model_and_type_marks_and_nothing_of_the_workshop(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {"tagger/py.typed", "training/py.typed", "tagger/__init__.py", "training/__init__.py"} <= set(names)
    assert {"tagger/models/areas/manifest.json", "tagger/models/areas/arrays.npz"} <= set(names)
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"tagger", "training"}
    assert not [name for name in names if name.endswith((".pkl", ".joblib", ".pyc"))]


def test_the_model_in_the_wheel_is_the_one_in_the_checkout(wheel, repository):
    with zipfile.ZipFile(wheel) as archive:
        for path in (repository / "models" / "areas").iterdir():
            assert archive.read(f"tagger/models/areas/{path.name}") == path.read_bytes()
