import type { FormState } from "@/app/admin/_components/flash-notice";
import { storedValueVersion } from "@/lib/runtime/setting-change-preview";

/**
 * A hidden field with the version of the stored values, so that a form does not overwrite a change made while it was
 * open.
 */
export function FormVersionField({ form, stored }: { form: FormState; stored: unknown }) {
  return <input type="hidden" name="version" value={form.values.version ?? storedValueVersion(stored)} />;
}
