/** What CORS allows where nobody says otherwise; the same in ingress-nginx and in Rules. */
export const CORS_METHODS: readonly string[] = ["GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"];

export const CORS_HEADERS: readonly string[] = [
  "DNT",
  "Keep-Alive",
  "User-Agent",
  "X-Requested-With",
  "If-Modified-Since",
  "Cache-Control",
  "Content-Type",
  "Range",
  "Authorization",
];

/** Seconds that a browser may remember an answer: 20 days. */
export const CORS_MAX_AGE = 1_728_000;
