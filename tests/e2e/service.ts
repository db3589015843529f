/** The running product that the tests of this worker use; each worker has one of its own, so that none waits for another. */
export interface RunningService {
  baseUrl: string;
  dataDir: string;
  adminSecret: string;
  /** The server that stands in for Telegram's. */
  telegramRoot: string;
}

/** How the global set-up hands the services over, one a worker. */
export const SERVICES_VARIABLE = "E2E_SERVICES";

/** Where tests are only listed nothing runs yet, and every field is empty. */
export const service: RunningService = (
  JSON.parse(process.env[SERVICES_VARIABLE] ?? "[]") as RunningService[]
)[Number(process.env.TEST_PARALLEL_INDEX ?? 0)] ?? {
  baseUrl: "",
  dataDir: "",
  adminSecret: "",
  telegramRoot: "",
};
