/** The statement of a breaking migration: builds without the migration of this instant cannot use the schema. */
export const raiseSchemaFloor = (ms: number) => `
  INSERT INTO settings (name, value) VALUES ('schema_floor', '{"ms": ${ms}}')
  ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = now();`;
