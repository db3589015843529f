import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Port, password and files of the embedded PostgreSQL, as stored in `clusterFile`, which only this user can read. */
export interface Cluster {
  /** Directory of the cluster's files. */
  dataDir: string;
  /** The port at the last start; 0 before the first one. */
  port: number;
  password: string;
  /** Id of the process that owns the PostgreSQL server and stops it when it ends; missing before the first start. */
  owner?: number;
}

/** Path of the JSON file that stores a `Cluster`. */
export const clusterFile = (dataDir: string) => join(dataDir, "postgres.json");

/**
 * Reads the cluster file; null: there is none, or it cannot be parsed. In a moved or copied data directory the file still
 * states the former path, so database files inside the directory take precedence.
 */
export function readCluster(dataDir: string): Cluster | null {
  try {
    // Written only by writeClusterFile and createClusterFile.
    const stored = JSON.parse(readFileSync(clusterFile(dataDir), "utf8")) as Cluster;
    const inside = clusterFilesDirectory(dataDir);
    return isClusterInitialized(inside) ? { ...stored, dataDir: inside } : stored;
  } catch {
    return null;
  }
}

/** Directory of the cluster's files in a data directory that PostgreSQL's user can reach. */
export const clusterFilesDirectory = (dataDir: string) => join(dataDir, "postgres");

/** Whether this directory holds a complete database cluster. */
export const isClusterInitialized = (directory: string) => existsSync(join(directory, "PG_VERSION"));

/** Replaces the cluster file atomically: a half-written file, as on a full disk, would lose the password. */
export function writeClusterFile(dataDir: string, cluster: Cluster): void {
  renameSync(writeDraft(dataDir, cluster), clusterFile(dataDir));
}

/** Creates the cluster file, or returns the contents of an existing one. Replaces an existing file that cannot be read. */
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

/** URL of the embedded database, from the cluster file under `dataDir`; null: no readable cluster file. */
export function embeddedDatabaseUrl(dataDir: string): string | null {
  const cluster = readCluster(dataDir);
  return cluster && clusterUrl(cluster, "signals");
}
