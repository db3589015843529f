-- A day's row is rewritten with each advance. Cleaned after so many rewritten rows, whatever the size of the table, the
-- space is used again; by the usual fifth of a table of 90 days it would first grow by gigabytes.
ALTER TABLE "fetch_days" SET (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 10000
);
