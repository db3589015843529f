import { API_VERSION } from "@/lib/runtime/version";

/** Releases up to 1.3.0 set only this name, without their version. */
const SERVICE = "signal-delivery-service";

/** Name of this process's direct connections, which PostgreSQL lists in `pg_stat_activity`: it contains the release. */
export const applicationName = (): string => `${SERVICE} ${API_VERSION}`;

/**
 * Name of connections through a pooler. It contains no release, because a pooler keeps its connections, and their last
 * names, after a process has ended.
 */
export const POOLED_APPLICATION_NAME = `${SERVICE} pooled`;

/**
 * The releases other than this one whose processes are connected to the database, by the names of its connections.
 * `null` stands for a release that does not name itself.
 */
export function otherReleases(applicationNames: readonly string[]): (string | null)[] {
  return applicationNames
    .filter((name) => name !== applicationName() && name !== POOLED_APPLICATION_NAME)
    .flatMap((name) =>
      name === SERVICE ? [null] : name.startsWith(`${SERVICE} `) ? [name.slice(SERVICE.length + 1)] : [],
    );
}
