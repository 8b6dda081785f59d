#!/bin/sh
# Stands in for `docker exec` in tests: the container is this machine, and what runs in it has a session of its own, so that
# ending this client does not end it, as with a container.
[ "$1" = exec ] || { echo "docker: '$1' is not expected" >&2; exit 125; }
shift
folder=/
while :; do
    case "$1" in
        -i) shift ;;
        -w) folder="$2"; shift 2 ;;
        -e) eval "value=\${$2-}"; export "$2=$value"; shift 2 ;;
        -*) echo "unknown flag: $1" >&2; exit 125 ;;
        *) break ;;
    esac
done
[ "$1" = coding ] || { echo "Error: No such container: $1" >&2; exit 1; }
shift
cd "$folder" || { echo "OCI runtime exec failed: $folder: no such file or directory" >&2; exit 126; }
exec setsid -w "$@"
