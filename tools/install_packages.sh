#!/usr/bin/env bash
# Installs the packages of the given sections of packages.txt that are missing; with none missing it does nothing.
# No service that a package brings is started, now or with the system: see guard_services and disable_new_services.
set -euo pipefail

list="$(dirname "$0")/packages.txt"
policy="${SLUICE_POLICY_RC_D:-/usr/sbin/policy-rc.d}"
mark='# Written by tools/install_packages.sh for the time of one install.'

die() {
  echo "install_packages: $*" >&2
  exit 1
}

# With a command beside a package that would be as good.
packages_of() {
  awk -v wanted="[$1]" '/^\[/ { inside = ($1 == wanted); found = found || inside; next }
    inside && NF && $1 !~ /^#/ { print $1, $3 }
    END { exit !found }' "$list"
}

without_commands_there() {
  while read -r package command; do
    [ -n "$command" ] && command -v "$command" >/dev/null || echo "$package"
  done
}

missing_of() {
  comm -23 <(printf '%s\n' "$@" | sort -u) \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' | sort -u)
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# dpkg asks policy-rc.d before it starts a service. Somebody else's answer is respected, ours is taken away again.
guard_services() {
  if [ -e "$policy" ] && ! grep -qF "$mark" "$policy"; then
    "$policy" sluice start >/dev/null 2>&1 && echo "install_packages: $policy exists and lets services start; left as it is" >&2
    return 0
  fi
  printf '#!/bin/sh\n%s\nexit 101\n' "$mark" | as_root tee "$policy" >/dev/null
  as_root chmod 755 "$policy"
}

remove_guard() {
  if [ -e "$policy" ] && grep -qF "$mark" "$policy"; then as_root rm -f "$policy"; fi
}

enabled_services() {
  systemctl list-unit-files --type=service --state=enabled --no-legend --no-pager | awk 'NF { print $1 }' | sort
}

# What was enabled before stays so. Where systemd itself is new, the system starts without it.
disable_new_services() {
  local new
  [ -n "$enabled_before" ] || return 0
  mapfile -t new < <(comm -13 <(printf '%s\n' "$enabled_before") <(enabled_services))
  [ ${#new[@]} -gt 0 ] || return 0
  echo "Not started with the system (systemctl enable NAME, if you want one to be): ${new[*]}"
  as_root systemctl --quiet disable "${new[@]}" 2>/dev/null ||
    echo "install_packages: they could not be disabled; as root: systemctl disable ${new[*]}" >&2
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

[ $# -gt 0 ] || die "no section given; name some of: $(sed -n 's/^\[\(.*\)\]$/\1/p' "$list" | xargs)"
wanted=()
for section in "$@"; do
  found=$(packages_of "$section") || die "no section [$section] in $list; add it there, or check the spelling"
  mapfile -t -O "${#wanted[@]}" wanted < <(without_commands_there <<<"$found")
done

command -v dpkg-query >/dev/null || die "this is not a Debian system; install yourself: ${wanted[*]}"
mapfile -t missing < <(missing_of "${wanted[@]}")
[ ${#missing[@]} -gt 0 ] || exit 0
[ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null || die "run as root, or install sudo; missing: ${missing[*]}"

echo "Installing: ${missing[*]}"
enabled_before=$(command -v systemctl >/dev/null && enabled_services || true)
trap 'remove_guard; disable_new_services' EXIT
trap 'exit 130' INT TERM HUP
guard_services
by_hand="apt-get update && apt-get install ${missing[*]}"
apt update || die "apt cannot read its package lists; check the network and the apt sources, then as root: $by_hand"
apt install --yes --no-install-recommends "${missing[@]}" ||
  die "apt could not install them (its reason is above; Debian 12 has them all); mend it, then as root: $by_hand"
