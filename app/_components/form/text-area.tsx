import type { TextareaHTMLAttributes } from "react";
import { classNames } from "@/app/_components/class-names";
import { controlClass, Field, type FieldText } from "./field";

type Props = FieldText & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "id"> & { name: string };

export function TextArea({ label, hint, error, hideLabel, className, ...area }: Props) {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel} className={className}>
      {(wiring) => (
        <textarea
          rows={3}
          {...area}
          {...wiring}
          className={classNames(controlClass, "h-auto min-h-20 resize-y py-2")}
        />
      )}
    </Field>
  );
}
