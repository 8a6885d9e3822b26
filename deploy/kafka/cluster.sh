# Functions for the whole cluster; sourced by deploy/local-kafka after node.sh. $dir/cluster stores the cluster's
# shape, so later commands need only --dir.

load_cluster() {
  [ -f "$dir/cluster" ] || return 1
  # shellcheck disable=SC1091
  source "$dir/cluster"
}

# Picks free ports below the range for outgoing connections (from 32768), because such a connection could take a
# node's port while that node is down.
free_ports() {
  local found=() port
  while [ "${#found[@]}" -lt "$1" ]; do
    port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
    if port_taken "$port" || [[ " ${found[*]} " == *" $port "* ]]; then continue; fi
    found+=("$port")
  done
  echo "${found[@]}"
}

port_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

new_cluster_id() { head -c 16 /dev/urandom | base64 | tr '+/' '-_' | cut -c1-22 | sed 's/^-/A/'; }

make_cluster() {
  local n port=${wanted_port:-9092}
  nodes=${wanted_nodes:-1} cluster_id=$(new_cluster_id) broker_ports=() controller_ports=()
  if [ "$port" = 0 ]; then
    read -ra broker_ports <<<"$(free_ports "$nodes")"
  else
    for n in $(seq "$nodes"); do broker_ports+=($((port + n - 1))); done
  fi
  for n in "${broker_ports[@]}"; do ! port_taken "$n" || fail "port $n is taken; choose another by --port, or --port 0"; done
  read -ra controller_ports <<<"$(free_ports "$nodes")"
  : >"$dir/extra.properties"
  declare -p nodes cluster_id broker_ports controller_ports | sed 's/^declare -[-a]* //' >"$dir/cluster.new"
  mv "$dir/cluster.new" "$dir/cluster"
}

# Fails if the folder contains a different cluster from the requested one.
check_shape() {
  [ -z "$wanted_nodes" ] || [ "$wanted_nodes" = "$nodes" ] ||
    fail "$dir contains a cluster of $nodes node(s), not $wanted_nodes; stop it and remove the folder, or choose another --dir"
  [ "${wanted_port:-0}" = 0 ] || [ "$wanted_port" = "${broker_ports[0]}" ] ||
    fail "$dir contains a cluster on port ${broker_ports[0]}, not $wanted_port; stop it and remove the folder, or choose another --dir"
}

bootstrap() {
  local list=("${broker_ports[@]/#/127.0.0.1:}")
  (IFS=,; echo "${list[*]}")
}

# Prints the cluster as node N sees it; fails if that node does not answer. A broker listens only once the
# controller has admitted it again.
ask_node() { timeout 5 kcat -L -m 3 -b "127.0.0.1:${broker_ports[$1 - 1]}" -X log_level=0 2>/dev/null; }

# Succeeds if node N answers, sees at least the given number of brokers, and is in sync for all of its partitions.
node_is_back() {
  ask_node "$1" | awk -v node="$1" -v least="$2" '
    $2 == "brokers:" { brokers = $1 }
    match($0, /replicas: [0-9,]*/) {
      replicas = "," substr($0, RSTART + 10, RLENGTH - 10)
      isrs = match($0, /isrs: [0-9,]*/) ? "," substr($0, RSTART + 6, RLENGTH - 6) "," : ""
      if (index(replicas, "," node ",") && !index(isrs, "," node ",")) behind = 1
    }
    END { exit !(brokers >= least && !behind) }'
}

await_node() {
  local deadline=$((SECONDS + answer_within)) log
  log=$(node_dir "$1")/log
  until node_is_back "$1" "$2"; do
    node_pid "$1" >/dev/null || { tail -20 "$log" >&2; fail "node $1 ended while starting: see $log"; }
    [ "$SECONDS" -lt "$deadline" ] || fail "node $1 did not answer within $answer_within s: see $log"
    sleep 0.2
  done
}

start_cluster() {
  local n formatting=() started=()
  need_tools
  exec 8>"$dir/lock"
  flock 8
  libs=$("$here/kafka/fetch")
  load_cluster || make_cluster
  check_shape
  for n in ${extra[@]+"${extra[@]}"}; do echo "$n" >>"$dir/extra.properties"; done
  for n in $(seq "$nodes"); do
    case $(node_state "$n") in
      down) format_node "$n" 8>&- & formatting+=($!); started+=("$n") ;;
      paused) signal_node CONT "$n" ;;
    esac
  done
  for n in ${formatting[@]+"${formatting[@]}"}; do wait "$n" || exit 1; done
  for n in ${started[@]+"${started[@]}"}; do launch_node "$n" 8>&-; done
  for n in $(seq "$nodes"); do await_node "$n" "$nodes"; done
  echo "local-kafka: $nodes node(s) answer; data in $dir" >&2
  bootstrap
}

# Starts one node and waits until it is back in sync.
start_node() {
  need_tools
  libs=$("$here/kafka/fetch")
  case $(node_state "$node") in
    paused) signal_node CONT "$node" ;;
    down) format_node "$node"; launch_node "$node" ;;
  esac
  await_node "$node" 1
  bootstrap
}

stop_node() {
  signal_node CONT "$1" || return 0
  signal_node TERM "$1" || return 0
  await_end "$1" "$stop_within" && return
  signal_node KILL "$1" || true
  await_end "$1" 10 || fail "node $1 does not stop"
}

# All nodes at once: one after the other, the last node would wait for a quorum that no longer exists.
stop_cluster() {
  local n
  load_cluster || return 0
  for n in $(seq "$nodes"); do stop_node "$n" & done
  wait
}

kill_nodes() {
  local n
  if [ -n "$node" ]; then want_node; else load_cluster || fail "no cluster in $dir"; fi
  for n in ${node:-$(seq "$nodes")}; do
    signal_node KILL "$n" || fail "node $n is not running"
    await_end "$n" 10
  done
}

# Returns once the node has stopped doing anything.
pause_node() {
  local deadline=$((SECONDS + stop_within))
  signal_node STOP "$node" || fail "node $node is not running"
  until node_stands_still "$node"; do
    [ "$SECONDS" -lt "$deadline" ] || fail "node $node did not pause within $stop_within s"
    sleep 0.02
  done
}

show_status() {
  local n state all=0
  load_cluster || fail "no cluster in $dir"
  for n in $(seq "$nodes"); do
    state=$(node_state "$n")
    [ "$state" = running ] || all=1
    echo "node $n  127.0.0.1:${broker_ports[n - 1]}  $state  $(node_pid "$n" || true)"
  done
  bootstrap
  return $all
}
