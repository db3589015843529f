/** Absolute request targets that the server must refuse: a scheme other than http or https, or an invalid host or port. */
export const INVALID_TARGETS = [
  "http://[/./",
  "http://x:99999/./",
  "http://%/./",
  "http://@/./",
  "https://[v1.a]/%2e/",
  "http://:99999/./x",
  "http://[::1/.x",
  "http://[/admin",
  "http://",
  "http:///",
  "https://x:y/login",
  "HTTP://[::1]:80:80/.",
  "ftp://x/api/health/live",
  "x:1",
];
