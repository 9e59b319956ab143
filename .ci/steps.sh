# What .ci/run and .ci/nightly share: fresh clones, virtual environments, and tests that may run twice.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
rerun=$work/rerun # the names of tests that failed the first time
touch "$rerun"
trap 'kill $(jobs -p) 2> /dev/null || true; rm -rf "$work"' EXIT
unset ARENA_DB
unset PYTHONDONTWRITEBYTECODE # or every process compiles all modules

say() { printf '\n=== %d:%02d %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"; }

readme() { grep -m1 "^python3 -m venv .*$1" "$root/README.md"; } # the README's command that ends so

clone() { git clone -q "$root" "$work/$1" && cd "$work/$1"; }

find_python() { # a working interpreter of version $1, if the machine has one
  for python in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python3; do
    if "$python" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2> /dev/null; then
      command -v "$python"
      return
    fi
  done
}

get_uv() { # uv makes the environments that no README command makes; pip takes half a minute for each
  "$1" -m venv "$work/tools" && "$work/tools/bin/pip" install -q uv
}

environment() { # $1: an interpreter; then what to install, in this folder
  "$work/tools/bin/uv" venv -q --seed --python "$1" .venv
  add "${@:2}"
}

add() { "$work/tools/bin/uv" pip install -q --python .venv/bin/python "$@"; }

names() { # the tests that failed last
  .venv/bin/python -c "import json; print(*json.load(open('.pytest_cache/v/cache/lastfailed')), sep='\n')" ||
    echo "unknown, since pytest itself ended early"
}

again() { # those that failed, perhaps because the machine was busy, once more and one by one
  say "tests that failed, once more and one by one"
  names | tee -a "$rerun"
  .venv/bin/python -m pytest "$@" -n 0 --last-failed --last-failed-no-failures none
}

tests() { .venv/bin/python -m pytest "$@" || again "$@"; }

finish() {
  if [ -s "$rerun" ]; then
    say "tests that passed only when they ran again"
    cat "$rerun"
  fi
  say "all is well"
}
