import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Address and password of an embedded cluster, as stored in `clusterFile`, which only its owner can read. */
export interface Cluster {
  /** Directory of the cluster's files. */
  dataDir: string;
  port: number;
  password: string;
  /** Id of the process that owns the server and stops it. */
  owner?: number;
}

export const clusterFile = (dataDir: string) => join(dataDir, "postgres.json");

export function readCluster(dataDir: string): Cluster | null {
  try {
    const stored: unknown = JSON.parse(readFileSync(clusterFile(dataDir), "utf8"));
    // Written only by writeClusterFile and createClusterFile.
    return stored as Cluster;
  } catch {
    return null;
  }
}

/** Replaces the cluster file atomically: a half-written file, as on a full disk, would lose the password. */
export function writeClusterFile(dataDir: string, cluster: Cluster): void {
  renameSync(writeDraft(dataDir, cluster), clusterFile(dataDir));
}

/** Creates the cluster file, or returns the contents of the one that another process created first. */
export function createClusterFile(dataDir: string, cluster: Cluster): Cluster {
  const draft = writeDraft(dataDir, cluster);
  try {
    for (;;) {
      try {
        linkSync(draft, clusterFile(dataDir));
        return cluster;
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      }
      const existing = readCluster(dataDir);
      if (existing) return existing;
      rmSync(clusterFile(dataDir), { force: true });
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function writeDraft(dataDir: string, cluster: Cluster): string {
  const draft = `${clusterFile(dataDir)}.draft-${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(cluster, null, 2)}\n`, { mode: 0o600 });
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return draft;
}

export function clusterUrl(cluster: Cluster, database: string): string {
  return `postgres://postgres:${cluster.password}@127.0.0.1:${cluster.port}/${database}`;
}

/** URL of the embedded database that is recorded under `dataDir`; null before its first start. */
export function embeddedDatabaseUrl(dataDir: string): string | null {
  const cluster = readCluster(dataDir);
  return cluster && clusterUrl(cluster, "signals");
}
