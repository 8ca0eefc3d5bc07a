/** All metrics of albc, with Prometheus' units and suffixes. docs/metrics.md is generated from this table. */
export interface MetricRow {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels?: readonly string[];
}

/** Metrics of the run: compiling, applying, and the cluster. */
export const RUN_METRICS = {
  buildInfo: {
    name: "albc_build_info",
    type: "gauge",
    help: "Always 1; the version of albc, and of nginx if albc runs it.",
    labels: ["version", "nginx_version"],
  },
  applies: {
    name: "albc_config_applies_total",
    type: "counter",
    help: "Configurations by outcome: started (with nginx), swapped (in the running workers), reloaded, written (no running nginx to notify), unchanged, refused (by nginx), error.",
    labels: ["outcome"],
  },
  compileDuration: {
    name: "albc_config_compile_duration_seconds",
    type: "histogram",
    help: "Time to compile the objects into nginx's files.",
  },
  applyDuration: {
    name: "albc_config_apply_duration_seconds",
    type: "histogram",
    help: "Time from the files until every worker serves them, or nginx refuses them.",
  },
  lastSuccess: {
    name: "albc_config_last_apply_success_timestamp_seconds",
    type: "gauge",
    help: "Time when a configuration was last applied, or found to be served already. While changes arrive, its age is the configuration's age.",
  },
  lastSuccessful: {
    name: "albc_config_last_apply_successful",
    type: "gauge",
    help: "1: the last configuration was applied; 0: it was not, and an older one is served.",
  },
  configHash: {
    name: "albc_config_hash",
    type: "gauge",
    help: "Number derived from the version of the last applied policy.",
  },
  diagnostics: {
    name: "albc_diagnostics",
    type: "gauge",
    help: "Current mistakes in the objects, by severity; the log lists them. Hints of validate, such as Services without endpoints, are not counted.",
    labels: ["severity"],
  },
  certificateExpiry: {
    name: "albc_certificate_expire_time_seconds",
    type: "gauge",
    help: "Time when the certificate of a Secret expires that is served or sent to backends, in seconds since 1970.",
    labels: ["namespace", "name"],
  },
  faulty: {
    name: "albc_faulty_objects",
    type: "gauge",
    help: "Objects whose translation fails because of a bug in albc (INTERNAL_ERROR). Their hosts and paths answer 503; the log names them.",
  },
  unreadable: {
    name: "albc_unreadable_files",
    type: "gauge",
    help: "Files that albc has not read since its start; their objects are missing. The log names them.",
  },
  objects: {
    name: "albc_objects",
    type: "gauge",
    help: "Compiled objects, by kind.",
    labels: ["kind"],
  },
  watchErrors: {
    name: "albc_watch_errors_total",
    type: "counter",
    help: "Watches of the API server that failed and were restarted, by kind; discovery: the request for the list of kinds.",
    labels: ["kind"],
  },
  statusWrites: {
    name: "albc_status_writes_total",
    type: "counter",
    help: "Statuses written to the API server, by kind and result: written, conflict (retried), error (retried later).",
    labels: ["kind", "result"],
  },
  leader: {
    name: "albc_leader",
    type: "gauge",
    help: "1: this replica writes statuses. Absent with -f.",
  },
  nginxRestarts: {
    name: "albc_nginx_restarts_total",
    type: "counter",
    help: "How often nginx ended by itself and albc restarted it.",
  },
  traceReports: {
    name: "albc_trace_reports_total",
    type: "counter",
    help: "Reports of sampled requests by result: received, lost (came faster than they were read), dropped (too many spans waited), malformed. Absent without spans.",
    labels: ["result"],
  },
  traceSpans: {
    name: "albc_trace_spans_total",
    type: "counter",
    help: "Spans by result: exported, failed (the collector did not take them). Absent without spans.",
    labels: ["result"],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

/** Metrics of nginx and its workers, read from the control socket at each scrape. */
export const DATA_PLANE_METRICS = {
  up: {
    name: "albc_nginx_up",
    type: "gauge",
    help: "1: nginx answers on the control socket. Otherwise the other metrics of this section are absent.",
  },
  workersExpected: {
    name: "albc_nginx_workers_expected",
    type: "gauge",
    help: "Workers that nginx should have.",
  },
  workerHash: {
    name: "albc_nginx_worker_config_hash",
    type: "gauge",
    help: "The same number as albc_config_hash, for the policy that the worker serves.",
    labels: ["worker"],
  },
  responses: {
    name: "albc_http_responses_total",
    type: "counter",
    help: "Responses to clients by status code, refusals and errors among them. Requests whose client left before the header (499 in the access log) have none.",
    labels: ["code"],
  },
  headerDuration: {
    name: "albc_http_header_duration_seconds",
    type: "histogram",
    help: "Time from the first byte of a request to the header of its response: auth, waiting for the backend, and tries. It excludes bodies, so streams and WebSockets do not distort it.",
  },
  authChecks: {
    name: "albc_auth_checks_total",
    type: "counter",
    help: "Checks of source ranges, basic, forward and certificate auth by outcome (see below). A request can have one for its route and one for its backend.",
    labels: ["outcome"],
  },
  authAnswers: {
    name: "albc_auth_answers_total",
    type: "counter",
    help: "Answers of auth services by outcome: known (the worker remembers the same bytes and does not parse them again), parsed (all others: always refusals, answers with Set-Cookie, and answers to external auth). A question without a readable answer counts as neither.",
    labels: ["outcome"],
  },
  connections: {
    name: "albc_nginx_connections",
    type: "gauge",
    help: "Client connections by state: active (all), reading (a request), writing (a response), waiting (idle).",
    labels: ["state"],
  },
  endpointsOut: {
    name: "albc_endpoints_out",
    type: "gauge",
    help: "Endpoints of a Service port that get no requests because they can't be reached. Absent for those without.",
    labels: ["namespace", "service", "port"],
  },
  outages: {
    name: "albc_endpoint_outages_total",
    type: "counter",
    help: "How often an endpoint of a Service port was left out, by reason: connect_failed, connect_timeout, closed_early, error_statuses, unacknowledged.",
    labels: ["namespace", "service", "port", "reason"],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

const ROUTE_LABELS = ["namespace", "kind", "name", "rule"];

/** Metrics by route and auth policy, counted by nginx unless `routeMetrics` is 0. */
export const ROUTE_METRICS = {
  requests: {
    name: "albc_route_requests_total",
    type: "counter",
    help: "Requests by class of their status: 1xx to 5xx. Requests whose client left (499) are 4xx.",
    labels: [...ROUTE_LABELS, "status"],
  },
  duration: {
    name: "albc_route_request_duration_seconds",
    type: "histogram",
    help: "Time from the first byte of a request to the last byte of its response.",
    labels: ROUTE_LABELS,
  },
  upstreamDuration: {
    name: "albc_route_upstream_duration_seconds",
    type: "histogram",
    help: "Time from connecting to a backend to the last byte of its response, all tries together. Requests that reached no backend have none.",
    labels: ROUTE_LABELS,
  },
  requestBytes: {
    name: "albc_route_request_bytes_total",
    type: "counter",
    help: "Bytes received from clients in requests with a Content-Length, headers included. The length of other requests is not read.",
    labels: ROUTE_LABELS,
  },
  responseBytes: {
    name: "albc_route_response_bytes_total",
    type: "counter",
    help: "Bytes sent to clients, headers included.",
    labels: ROUTE_LABELS,
  },
  authChecks: {
    name: "albc_auth_policy_checks_total",
    type: "counter",
    help: "Checks by the object whose auth they are, and by outcome (see below): an AuthPolicy, ALB2 or Frontend, or the route itself. A check that passes several policies counts for each.",
    labels: [...ROUTE_LABELS, "outcome"],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;
