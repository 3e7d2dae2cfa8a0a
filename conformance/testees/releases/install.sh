#!/usr/bin/env bash
# Installs the releases of client libraries that the known bugs name (corpus/stomp/known-bugs.yaml), each at its
# exact version and in a folder of its own. It can be run again at any time: what is there is left alone. A part
# that fails is reported and the others go on; with --strict the exit status is 1 if any part failed.
#
#   install.sh [--strict] [--list] [LIB VERSION]...      no LIB: all of them
#
# ASSAY_LAB_DIR           they go to releases/LIB-VERSION there; default $HOME/.cache/assay/lab
# ASSAY_LAB_STEP_SECONDS  limit of one download or install step, default 600
set -u

all="aiostomp 1.3.0
aiostomp 1.4.0
aiostomp 1.4.1
aiostomp 1.4.2
aiostomp 1.5.0
go-stomp 3.0.4
go-stomp 3.0.5
go-stomp 3.1.0
netty 4.1.43.Final
netty 4.1.44.Final
netty 4.1.79.Final
netty 4.1.80.Final
stomp-client 0.4.0
stomp-client 0.5.0
stomp-client 0.6.0
stomp.py 4.1.1
stomp.py 4.1.2
stomp.py 4.1.3
stomp.py 4.1.4
stomp.py 4.1.5
stomp.py 4.1.9
stomp.py 4.1.10
stomp.py 4.1.11
stomp.py 4.1.12
stompit 0.13.0
stompit 0.15.0
stompit 0.21.0
stompit 0.22.0
stompit 0.24.0
stompit 0.25.0
stompit 0.26.0
stompit 1.0.0
stompjs 3.1.1
stompjs 3.1.2
stompjs 4.0.8
stompjs 5.1.0
stompjs 5.4.2
stompjs 5.4.3
stompman 0.2.0
stompman 0.2.1
stompman 0.7.1
stompman 0.8.0
stompman 1.5.0
stompman 1.6.0
stompman 3.7.0
stompman 3.8.0"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lab=${ASSAY_LAB_DIR:-$HOME/.cache/assay/lab}
limit=${ASSAY_LAB_STEP_SECONDS:-600}
releases=$lab/releases

say() { printf 'release-install: %s\n' "$*" >&2; }

strict=0
wanted=()
while [ $# -gt 0 ]; do
	case $1 in
	--strict) strict=1 ;;
	--list)
		printf '%s\n' "$all"
		exit 0
		;;
	-*)
		say "unknown option $1"
		exit 64
		;;
	*)
		if [ $# -lt 2 ] || ! grep -qxF "$1 $2" <<<"$all"; then
			say "unknown release $1 ${2:-without a version} (--list prints them)"
			exit 64
		fi
		wanted+=("$1 $2")
		shift
		;;
	esac
	shift
done
[ ${#wanted[@]} -gt 0 ] || mapfile -t wanted <<<"$all"

bounded() { timeout --kill-after=10 "$limit" "$@" </dev/null >>"$log" 2>&1; }

# One environment builds and runs all Python releases. The set-up of some imports what is not theirs (coverage), or
# what Python has moved since (fractions.gcd); a .pth file puts that back.
environment() {
	[ -e "$releases/python/ready" ] && return 0
	rm -rf "$releases/python"
	bounded python3 -m venv "$releases/python" &&
		bounded "$releases/python/bin/python" -m pip install --disable-pip-version-check setuptools==69.5.1 wheel==0.43.0 coverage==7.4.0 &&
		(cd "$releases"/python/lib/python3*/site-packages && echo 'import fractions, math; fractions.gcd = math.gcd' >moved.pth) &&
		touch "$releases/python/ready"
}

python_release() {
	environment && bounded "$releases/python/bin/python" -m pip install --disable-pip-version-check \
		--no-deps --no-build-isolation --target "$tmp" "$1==$2"
}

npm_release() {
	bounded npm install --prefix "$tmp" --ignore-scripts --save-exact --no-audit --no-fund --loglevel=error "$@"
}

install_aiostomp() { python_release aiostomp "$1"; }

install_stompman() { python_release stompman "$1"; }

install_stomp.py() { python_release stomp.py "$1"; }

install_stomp-client() { npm_release "stomp-client@$1"; }

install_stompit() { npm_release "stompit@$1"; }

install_stompjs() { npm_release "@stomp/stompjs@$1" ws@8.18.0; }

install_go-stomp() {
	cp "$here"/go-stomp/*.go "$tmp" &&
		printf 'module testee\n\ngo 1.22\n\nrequire github.com/go-stomp/stomp/v3 v%s\n' "$1" >"$tmp/go.mod" &&
		(cd "$tmp" && GOFLAGS=-mod=mod CGO_ENABLED=0 bounded go build -trimpath -o testee .)
}

install_netty() {
	cat >"$tmp/pom.xml" <<-X
		<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
		<groupId>assay</groupId><artifactId>testee</artifactId><version>1</version><packaging>pom</packaging><dependencies>
		<dependency><groupId>io.netty</groupId><artifactId>netty-codec-stomp</artifactId><version>$1</version></dependency>
		<dependency><groupId>com.google.code.gson</groupId><artifactId>gson</artifactId><version>2.10.1</version></dependency>
		</dependencies></project>
	X
	(cd "$tmp" && bounded mvn -B -q org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies -DoutputDirectory="$tmp/lib") &&
		bounded javac -nowarn -d "$tmp/classes" -cp "$tmp/lib/*" "$here"/netty/*.java
}

mkdir -p "$lab/log" "$releases" || exit 1
failed=()
for release in "${wanted[@]}"; do
	read -r lib version <<<"$release"
	target=$releases/$lib-$version
	[ -d "$target" ] && continue
	log=$lab/log/install-release-$lib-$version.log
	: >"$log"
	began=$SECONDS
	if tmp=$(mktemp -d "$releases/tmp.XXXXXX") && "install_$lib" "$version" && chmod 755 "$tmp" && mv -T "$tmp" "$target"; then
		say "$release ready ($((SECONDS - began)) s)"
	else
		rm -rf "$tmp"
		failed+=("$release")
		say "$release FAILED ($((SECONDS - began)) s), log $log, last lines:"
		tail -n 5 "$log" | cut -c 1-300 >&2
	fi
done

say "${#wanted[@]} asked for, ${#failed[@]} failed${failed[*]:+: ${failed[*]}}"
[ $strict -eq 0 ] || [ ${#failed[@]} -eq 0 ]
