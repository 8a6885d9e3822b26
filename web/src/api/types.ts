// What the worker's HTTP interface answers (docs/http.md). Members that an older worker does not send are optional.

export interface Counts {
  admitted?: number;
  succeeded?: number;
  dead?: number;
  cancelled?: number;
  duplicate?: number;
  expired?: number;
  started?: number;
  failed?: number;
  snoozed?: number;
  bad?: number;
}

export interface Failure {
  type: string;
  error: string;
  // Failed attempts of the last hour, or the jobs whose last attempt failed in this way.
  count?: number;
  jobs?: number;
  // Whether these jobs are dead or wait to retry, if the worker tells them apart.
  dead?: boolean;
  last: string | null;
  id?: string;
  account?: string;
}

export interface Queue {
  queue: string;
  partitions: number;
  account_concurrency: number;
  running: number;
  ready_accounts: number;
  jobs: number;
  oldest_ready_ms: number;
  overdue_ms: number;
  phases: Record<string, number>;
  item_ms: Record<string, number>;
  partitions_not_here?: number[];
  counts?: Counts;
  rates?: { in: number; out: number; failed: number };
  waiting?: Record<string, number>;
  states?: Record<string, number>;
  failures?: Failure[];
  types?: string[];
  paused?: boolean;
}

export interface HistoryPoint {
  at: string;
  in: number;
  out: number;
  failed: number;
  running: number;
  jobs: number;
  oldest_ready_ms: number;
}

export interface History {
  step_ms: number;
  points: HistoryPoint[];
}

export interface BlockedBy {
  kind: string;
  name: string | null;
  href?: string;
}

export interface Attempt {
  attempt: number;
  at: string;
  error: string;
}

export interface Job {
  id: string;
  queue: string;
  type: string;
  account: string;
  state: string;
  attempt: number;
  max_attempts: number | null;
  run_at: string | null;
  created: string | null;
  started: string | null;
  reason: string | null;
  why: string | null;
  progress?: { n: number; total: number } | null;
  snoozes?: number;
  args?: unknown;
  headers?: Record<string, string | null>;
  cursor?: unknown;
  bulk?: string | { id: string; index?: number; size?: number } | null;
  priority?: number;
  weight?: number;
  expires_at?: string | null;
  ended?: string | null;
  replay?: string | { id?: string } | null;
  blocked_by?: BlockedBy[];
  attempts?: Attempt[];
  partitions_not_here?: number[];
}

export interface Page<Row> {
  rows: Row[];
  after: string | null;
  missing: number[];
}

export interface AccountRow {
  account: string;
  jobs: number;
  running: number;
  oldest?: string;
}

export interface Bulk {
  id: string;
  queue: string;
  account: string;
  size: number;
  admitted: number;
  waiting: number;
  running: number;
  succeeded: number;
  dead: number;
  cancelled: number;
  expired: number;
  first: string | null;
  last: string | null;
  done: string | null;
  estimated_end: string | null;
}

export interface LimitValues {
  slots?: number;
  rate?: string;
  burst?: number;
}

export interface Limit {
  name: string;
  shared: boolean | null;
  configured: LimitValues | null;
  set: LimitValues | null;
  used?: number;
  waiting?: number;
}

export interface Pause {
  queue: string;
  type: string | null;
  account: string | null;
  since: string;
  by: string;
}

export interface Breaker {
  queue: string;
  type: string;
  account: string;
  state: string;
  failures: number;
  until: string | null;
  error: string | null;
}

export interface ReplayPartition {
  partition: number;
  from: number;
  to: number;
  next: number;
  done?: boolean;
  reported_at?: string | null;
}

export interface Replay {
  id: string;
  queue: string;
  state: string;
  reason?: string | null;
  started_at: string;
  started_by: string;
  terms?: Record<string, unknown>;
  records: number;
  removed?: number;
  scanned: number;
  matched: number;
  left_out?: Record<string, number>;
  admitted: number;
  sent: number;
  waiting: number;
  running: number;
  ended: Record<string, number>;
  rate?: number | null;
  estimated_end?: string | null;
  partitions?: ReplayPartition[];
}

export interface ReplayPreview {
  records: number;
  scanned: number;
  matched: number;
  copies: number;
  removed: number;
  left_out: Record<string, number>;
  types: Record<string, number>;
  accounts: Record<string, number>;
  samples: { id: string; type: string; account: string; args: string }[];
}

export interface DeadRecord {
  queue: string;
  partition: number;
  offset: number;
  at: string;
  reason: string;
  detail: string;
  source: string;
  attempts: number;
  type?: string;
  id?: string;
  account?: string;
  account_hex?: string;
  bytes: number;
  value?: string;
  value_hex?: string;
  value_cut?: boolean;
  original_bytes?: number;
  headers: { name: string; value?: string; value_hex?: string }[];
}

export interface Resent {
  listed: number;
  sent: number;
  already: number;
  left_out: number;
  failed: Record<string, number>;
  errors: { partition: number; offset: number; reason: string; detail: string }[];
  after: string | null;
}

export interface WorkerPartition {
  partition: number;
  phase: string;
  lease_ms?: number | null;
  jobs?: number | null;
  state_bytes?: number | null;
  restored?: number | null;
  restore_end?: number | null;
}

export interface WorkerRow {
  id: string;
  name?: string;
  url?: string;
  version?: string;
  started?: string;
  ready: boolean;
  reason?: string | null;
  queues: { queue: string; partitions: WorkerPartition[] }[];
}

export interface Workers {
  workers: WorkerRow[];
  unanswered: { id: string; url?: string; reason: string }[];
}

export interface JobError {
  index?: number;
  id?: string;
  account?: string;
  member?: string;
  detail: string;
}

export interface ActionAnswer {
  op: string;
  matched: number;
  sent: number;
  after: string | null;
  sample: Job[];
  errors: JobError[];
}
