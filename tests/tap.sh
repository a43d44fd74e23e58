#!/usr/bin/env bash
# tap.sh - runs one test of any kind and prints TAP: bats files, shell scripts, cmocka programs.
# threads that wait let others work: three tests run at a time
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
case $1 in
*.bats) exec bats --tap "$1" ;;
*.sh) exec bash "$1" ;;
*) CMOCKA_MESSAGE_OUTPUT=TAP exec "$1" ;;
esac
