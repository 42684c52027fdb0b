#!/bin/sh
# Runs $PROGRAM, which ends when the process that started this ends, however it does.
exec setpriv --pdeathsig KILL "$PROGRAM" "$@"
