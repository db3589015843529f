/** The running service used by the tests of this worker; each worker has its own, so that none waits for another. */
export interface RunningService {
  baseUrl: string;
  dataDir: string;
  adminSecret: string;
  /** Address of the Telegram double. */
  telegramRoot: string;
}

/** Environment variable through which the global setup passes one service per worker. */
export const SERVICES_VARIABLE = "E2E_SERVICES";

/** The service of this worker. When Playwright only lists tests, no service runs and every field is empty. */
export const service: RunningService = (
  JSON.parse(process.env[SERVICES_VARIABLE] ?? "[]") as RunningService[]
)[Number(process.env.TEST_PARALLEL_INDEX ?? 0)] ?? {
  baseUrl: "",
  dataDir: "",
  adminSecret: "",
  telegramRoot: "",
};
