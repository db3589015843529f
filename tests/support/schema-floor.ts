/**
 * The SQL statement with which a breaking migration stores the schema floor: a build that lacks the migration of this
 * instant (in milliseconds) refuses to use the schema.
 */
export const schemaFloorStatement = (ms: number) => `
  INSERT INTO settings (name, value) VALUES ('schema_floor', '{"ms": ${ms}}')
  ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = now();`;
