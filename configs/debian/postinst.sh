#!/bin/sh
# Runs after the files have been unpacked.
set -e
if [ "$1" = configure ]; then
	systemd-sysusers reversi-board.conf || true
	if [ -d /run/systemd/system ]; then
		systemctl daemon-reload
		# The groups are new: the devices that are there already get them.
		udevadm control --reload || true
		udevadm trigger --settle --subsystem-match=i2c-dev --subsystem-match=spidev --subsystem-match=gpio || true
		if [ -z "$2" ]; then
			systemctl enable --now reversi-board.service
		else
			systemctl try-restart reversi-board.service
		fi
	elif [ -z "$2" ] && command -v systemctl >/dev/null; then
		systemctl enable reversi-board.service || true
	fi
	if [ -z "$2" ]; then
		echo "reversi-board runs with a simulated board: http://127.0.0.1:8064/"
		echo "For a real one see /etc/reversi-board/config.yaml, switch on its buses in"
		echo "/boot/firmware/config.txt (dtparam=i2c_arm=on,i2c_arm_baudrate=400000 and"
		echo "dtparam=spi=on), restart, stop the service and ask the doctor:"
		echo "  sudo -u reversi-board reversi-board doctor \\"
		echo "    --config /etc/reversi-board/config.yaml --data /var/lib/reversi-board"
	fi
fi
