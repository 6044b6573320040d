#!/usr/bin/env bash
# Installs the Debian packages that the tests use and this machine lacks, when it may; otherwise names the one line.
set -euo pipefail

missing=()
need() { # need PACKAGE TEST...: the package is there when the test succeeds
  local package=$1
  shift
  "$@" >/dev/null 2>&1 || missing+=("$package")
}
have_postgresql() { command -v initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb'; }
have_korean() { tesseract --list-langs | grep -qx kor; }
have_font() { [ -n "$(find /usr/share/fonts -name NanumGothic.ttf)" ]; }

need postgresql have_postgresql
need chromium command -v chromium
need tesseract-ocr command -v tesseract
need tesseract-ocr-kor have_korean
need fonts-nanum have_font

[ "${#missing[@]}" -eq 0 ] && exit 0
install=(apt-get install --yes --no-install-recommends "${missing[@]}")
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  "${install[@]}"
else
  printf 'Some tests will be skipped. To run them too, install: sudo %s\n' "${install[*]}" >&2
fi
