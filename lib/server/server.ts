/** What `npm start` and the units start. */
await import(new URL("web.mjs", import.meta.url).href);
