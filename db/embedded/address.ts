import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Where an embedded cluster is and how to get in; written at its start, readable by its owner alone. */
export interface Cluster {
  /** Directory of the cluster's files. */
  dataDir: string;
  port: number;
  password: string;
}

export const clusterFile = (dataDir: string) => join(dataDir, "postgres.json");

export function readCluster(dataDir: string): Cluster | null {
  try {
    const stored: unknown = JSON.parse(readFileSync(clusterFile(dataDir), "utf8"));
    // Written by embedded.ts alone.
    return stored as Cluster;
  } catch {
    return null;
  }
}

export function clusterUrl(cluster: Cluster, database: string): string {
  return `postgres://postgres:${cluster.password}@127.0.0.1:${cluster.port}/${database}`;
}

/** Address of the embedded database that a start recorded under `dataDir`, or null before the first start. */
export function embeddedDatabaseUrl(dataDir: string): string | null {
  const cluster = readCluster(dataDir);
  return cluster && clusterUrl(cluster, "signals");
}
