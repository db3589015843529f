import type { InputHTMLAttributes } from "react";
import { classNames } from "@/app/_components/class-names";
import { controlClass, Field, type FieldText } from "./field";

type Props = FieldText & Omit<InputHTMLAttributes<HTMLInputElement>, "id"> & { name: string };

export function TextInput({ label, hint, error, hideLabel, className, ...input }: Props) {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel} className={className}>
      {(wiring) => (
        <input
          type="text"
          {...input}
          {...wiring}
          className={classNames(controlClass, input.inputMode && "tabular-nums")}
        />
      )}
    </Field>
  );
}
