#!/usr/bin/env bash
# Runs a script in a Slurm cluster of this machine alone, which is gone afterwards: `srun` and `sbatch` work in it. Exit code 77
# where Slurm (Debian's slurm-wlm and munge) is not installed or cannot run.
#
# usage: slurm_cluster.sh SCRIPT
set -uo pipefail
PATH=$PATH:/usr/sbin
for program in munged slurmctld slurmd srun; do command -v "$program" >/dev/null || exit 77; done

place=$(mktemp -d)
host=$(hostname)
port=$((20000 + $$ % 20000))
daemons=()
end() {
  for daemon in "${daemons[@]}"; do kill "$daemon" 2>/dev/null; done
  wait 2>/dev/null
  rm -rf "$place"
}
trap end EXIT

mkdir "$place/state" "$place/spool"
head -c 128 /dev/urandom >"$place/key"
chmod 600 "$place/key"
cat >"$place/slurm.conf" <<EOF
ClusterName=alone
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthInfo=socket=$place/munge
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool
SlurmctldPidFile=$place/slurmctld.pid
SlurmdPidFile=$place/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES
SlurmdParameters=config_overrides
EOF
export SLURM_CONF=$place/slurm.conf

munged --force --foreground --socket "$place/munge" --key-file "$place/key" --log-file "$place/munge.log" \
  --pid-file "$place/munge.pid" --seed-file "$place/munge.seed" >/dev/null 2>&1 &
daemons+=($!)
slurmctld -D -L "$place/slurmctld.log" >/dev/null 2>&1 &
daemons+=($!)
slurmd -D -L "$place/slurmd.log" >/dev/null 2>&1 &
daemons+=($!)
for _ in $(seq 200); do
  [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ] && break
  sleep 0.1
done
[ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ] || {
  tail -n 5 "$place"/*.log >&2
  exit 77
}
bash "$1"
