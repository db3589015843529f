import type { ReactNode } from "react";
import { Field } from "@/app/_components/form/field";

/** A field for one file. Its form must use `multipart/form-data`. */
export function FileInput({
  label,
  name,
  accept,
  hint,
  error,
}: {
  label: string;
  name: string;
  accept: string;
  hint?: ReactNode;
  error?: string | undefined;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(wiring) => (
        <input
          type="file"
          name={name}
          accept={accept}
          required
          {...wiring}
          className="block w-full min-w-0 py-1 text-sm text-muted file:mr-3 file:h-8 file:cursor-pointer file:rounded-md file:border file:border-solid file:border-line file:bg-raised file:px-3 file:font-medium file:text-ink hover:file:border-edge hover:file:bg-sunken"
        />
      )}
    </Field>
  );
}
