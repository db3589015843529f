import { test } from "@playwright/test";

/** A running service with a simulated market. */
export interface RunningService {
  baseUrl: string;
  dataDir: string;
  adminSecret: string;
  /** Address of the Telegram double. */
  telegramRoot: string;
}

/**
 * The services that run during the tests. `operator`: for tests that change what all callers see, such as settings, or
 * that stop the database; one of them runs at a time. `pages`: for all other tests, of which several run at a time.
 */
export const SERVICE_NAMES = ["operator", "pages"] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** Environment variable through which the global setup passes the services. */
export const RUNNING_SERVICES_VARIABLE = "E2E_SERVICES";

const running = JSON.parse(process.env[RUNNING_SERVICES_VARIABLE] ?? "{}") as Partial<
  Record<ServiceName, RunningService>
>;

/** A running service. When Playwright only lists tests, no service runs and every field is empty. */
export const serviceOf = (name: ServiceName): RunningService =>
  running[name] ?? { baseUrl: "", dataDir: "", adminSecret: "", telegramRoot: "" };

/** The service of the test that runs: that of its project, else `pages`. */
export const service = (): RunningService =>
  serviceOf(SERVICE_NAMES.find((name) => name === test.info().project.name) ?? "pages");
