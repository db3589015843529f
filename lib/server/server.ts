/** What `npm start` and the units start: one web process in this very one, or the first of several (WEB_PROCESSES). */
import { readConfiguration } from "./configuration";

// The address is worked out here, so that the bundler leaves each of them a file of its own.
const file = readConfiguration().webProcesses === 1 ? "web.mjs" : "processes.mjs";
await import(new URL(file, import.meta.url).href);
