"""Draw the charts of kmet-mini: ``python scripts/draw_charts.py OUT_DIR``.

Needs the dependency group ``charts`` and the font NanumGothic (Debian: fonts-nanum).
The same versions give the same bytes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from kmet_charts import climate, observation, physics, soundings, synoptic
from kmet_charts.canvas import use_house_style

CHARTS: Final[Mapping[str, Callable[[Path], None]]] = {
    "surface_fronts": synoptic.surface_fronts,
    "jet_streak": synoptic.jet_streak,
    "trough_500": synoptic.trough_500,
    "isobars_scale": synoptic.isobars_scale,
    "station_model": observation.station_model,
    **dict.fromkeys(observation.STATION_CHOICES, observation.station_choice),
    "wind_rose": observation.wind_rose,
    "front_traces": observation.front_traces,
    "hodograph_shear": soundings.hodograph_shear,
    **dict.fromkeys(soundings.HODOGRAPHS, soundings.hodograph_choice),
    "skewt_lcl": soundings.skewt_lcl,
    "skewt_inversion": soundings.skewt_inversion,
    "climograph_monsoon": climate.climograph_monsoon,
    **dict.fromkeys(climate.CLIMATE_CHOICES, climate.climograph_choice),
    "foehn_section": climate.foehn_section,
    "koehler_curves": physics.koehler_curves,
    "planck_spectra": physics.planck_spectra,
}
"""The function that draws each file, by the file's stem."""


def main() -> None:
    """Draw every chart into the folder named on the command line."""
    parser = argparse.ArgumentParser(description="Draw the charts of kmet-mini.")
    parser.add_argument("out_dir", type=Path, help="folder for the PNG files; made when missing")
    out_dir: Path = parser.parse_args().out_dir
    out_dir.mkdir(parents=True, exist_ok=True)
    use_house_style()
    for stem, draw in CHARTS.items():
        draw(out_dir / f"{stem}.png")
    print(f"{len(CHARTS)} charts in {out_dir}")


if __name__ == "__main__":
    main()
