# Functions for one node of the local Kafka: its files and its process. Sourced by deploy/local-kafka, which sets
# $dir (the cluster's folder) and $libs (the jars), and by load_cluster $nodes, $broker_ports, $controller_ports and
# $cluster_id. A node is a folder $dir/node-N with server.properties, pid, log and data/.

node_dir() { echo "$dir/node-$1"; }

# Prints the node's process id, if that is still the process that was started: process ids are reused.
node_pid() {
  local pid
  pid=$(cat "$(node_dir "$1")/pid" 2>/dev/null) || return 1
  { tr '\0' '\n' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -xF "$(node_dir "$1")/server.properties" >/dev/null || return 1
  echo "$pid"
}

# Prints running, paused (SIGSTOP) or down.
node_state() {
  local pid
  pid=$(node_pid "$1") || { echo down; return; }
  if [ "$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -d' ' -f1)" = T ]; then echo paused; else echo running; fi
}

voters() {
  local n list=()
  for n in $(seq "$nodes"); do list+=("$n@127.0.0.1:${controller_ports[n - 1]}"); done
  (IFS=,; echo "${list[*]}")
}

node_properties() {
  local replicas=$nodes min_isr=$((nodes == 1 ? 1 : 2))
  cat <<END
process.roles=broker,controller
node.id=$1
controller.quorum.voters=$(voters)
listeners=PLAINTEXT://127.0.0.1:${broker_ports[$1 - 1]},CONTROLLER://127.0.0.1:${controller_ports[$1 - 1]}
advertised.listeners=PLAINTEXT://127.0.0.1:${broker_ports[$1 - 1]}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$(node_dir "$1")/data
auto.create.topics.enable=false
unclean.leader.election.enable=false
default.replication.factor=$replicas
min.insync.replicas=$min_isr
offsets.topic.replication.factor=$replicas
offsets.topic.num.partitions=8
transaction.state.log.replication.factor=$replicas
transaction.state.log.min.isr=$min_isr
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=$replicas
share.coordinator.state.topic.min.isr=$min_isr
share.coordinator.state.topic.num.partitions=4
group.initial.rebalance.delay.ms=0
END
  [ ! -f "$dir/extra.properties" ] || cat "$dir/extra.properties"
}

format_node() {
  local home
  home=$(node_dir "$1")
  mkdir -p "$home"
  node_properties "$1" >"$home/server.properties"
  [ -f "$home/data/meta.properties" ] && [ -f "$home/data/bootstrap.checkpoint" ] && return
  rm -rf "$home/data"
  "${java[@]}" -cp "$libs/*" kafka.tools.StorageTool format -t "$cluster_id" -c "$home/server.properties" \
    >"$home/log" 2>&1 || { tail -20 "$home/log" >&2; fail "node $1 could not be formatted: see $home/log"; }
}

launch_node() {
  local home heap=1g
  home=$(node_dir "$1")
  [ "$nodes" = 1 ] || heap=512m
  setsid nohup "${java[@]}" "-Xmx${PENSTOCK_KAFKA_HEAP:-$heap}" "-Dlog4j2.configurationFile=$here/kafka/log4j2.xml" \
    -cp "$libs/*" kafka.Kafka "$home/server.properties" </dev/null >>"$home/log" 2>&1 &
  echo $! >"$home/pid"
  # Before the process has become the node, node_pid would take it for a different process.
  until node_pid "$1" >/dev/null || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
}

signal_node() {
  local pid
  pid=$(node_pid "$2") || return 1
  kill "-$1" "$pid" 2>/dev/null
}

# Whether every thread of the node is stopped: the signal reaches them one by one.
node_stands_still() {
  local pid
  pid=$(node_pid "$1") || return 1
  ! sed 's/.*) //' "/proc/$pid/task/"*/stat 2>/dev/null | cut -c1 | grep -qv T
}

# Waits until the node's process has ended; fails after the given number of seconds.
await_end() {
  local deadline=$((SECONDS + $2))
  while node_pid "$1" >/dev/null; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.1
  done
}
