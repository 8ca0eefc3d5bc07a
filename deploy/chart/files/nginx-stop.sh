# Before the end of the nginx container: load balancers take the pod out of rotation meanwhile; then nginx lets requests in flight
# end. The signal that follows this script may be one that cuts them.
master=$(cat nginx.pid)
sleep "${SHUTDOWN_DELAY:-5s}"
kill -QUIT "$master"
while kill -0 "$master" 2>/dev/null; do sleep 0.5; done
