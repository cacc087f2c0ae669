#!/bin/sh
# Runs before the files are removed, and before an upgrade.
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
	systemctl disable --now reversi-board.service || true
fi
