import { type Env, EnvError, env } from "@/lib/runtime/env";

/**
 * Reads the configuration. An invalid one ends the process with one message that names every invalid variable and no
 * value.
 */
export function readConfigurationOrExit(): Env {
  try {
    return env();
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}
