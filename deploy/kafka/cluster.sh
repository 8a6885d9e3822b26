# The cluster as a whole; read by deploy/local-kafka after node.sh. Its shape is kept in $dir/cluster, so that
# every later command needs only --dir.

load_cluster() {
  [ -f "$dir/cluster" ] || return 1
  # shellcheck disable=SC1091
  source "$dir/cluster"
}

# Free ports below the range from which the system gives ports to outgoing connections (32768 on), which could
# take a node's port while that node is down.
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

# What was asked for must be what the folder holds.
check_shape() {
  [ -z "$wanted_nodes" ] || [ "$wanted_nodes" = "$nodes" ] ||
    fail "$dir holds a cluster of $nodes node(s), not $wanted_nodes; stop it and remove the folder, or choose another --dir"
  [ "${wanted_port:-0}" = 0 ] || [ "$wanted_port" = "${broker_ports[0]}" ] ||
    fail "$dir holds a cluster on port ${broker_ports[0]}, not $wanted_port; stop it and remove the folder, or choose another --dir"
}

bootstrap() {
  local list=("${broker_ports[@]/#/127.0.0.1:}")
  (IFS=,; echo "${list[*]}")
}

# How many brokers the cluster counts as alive, asked of any node.
brokers_alive() {
  timeout 5 kcat -L -m 3 -b "$(bootstrap)" -X log_level=0 2>/dev/null | sed -n 's/^ \([0-9]*\) brokers:.*/\1/p'
}

# Waits until the cluster counts every node alive that has a process.
await_answer() {
  local deadline=$((SECONDS + answer_within)) n
  until [ "$(brokers_alive)" = "$nodes" ]; do
    for n in "$@"; do
      node_pid "$n" >/dev/null || { tail -20 "$(node_dir "$n")/log" >&2; fail "node $n ended at start: see $(node_dir "$n")/log"; }
    done
    [ "$SECONDS" -lt "$deadline" ] || fail "no answer within $answer_within s: see $dir/node-*/log"
    sleep 0.2
  done
}

start_cluster() {
  local n formatting=() started=()
  need java; need kcat
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
  await_answer $(seq "$nodes")
  echo "local-kafka: $nodes node(s) answer; data in $dir" >&2
  bootstrap
}

# Starts one node and waits until as many brokers are alive as nodes have a running process.
start_node() {
  local n alive=0 deadline=$((SECONDS + answer_within))
  need java; need kcat
  libs=$("$here/kafka/fetch")
  if [ "$(node_state "$node")" = paused ]; then signal_node CONT "$node"; fi
  if [ "$(node_state "$node")" = down ]; then format_node "$node"; launch_node "$node"; fi
  for n in $(seq "$nodes"); do [ "$(node_state "$n")" != running ] || alive=$((alive + 1)); done
  until [ "$(brokers_alive)" -ge "$alive" ] 2>/dev/null; do
    node_pid "$node" >/dev/null || fail "node $node ended at start: see $(node_dir "$node")/log"
    [ "$SECONDS" -lt "$deadline" ] || fail "no answer within $answer_within s: see $dir/node-*/log"
    sleep 0.2
  done
  bootstrap
}

stop_node() {
  signal_node CONT "$1" || return 0
  signal_node TERM "$1" || return 0
  await_end "$1" "$stop_within" && return
  signal_node KILL "$1" || true
  await_end "$1" 10 || fail "node $1 does not end"
}

# All at once: the last node of an orderly sequence would wait for a quorum that is no more.
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
