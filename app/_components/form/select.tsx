"use client";

import { ChevronDown } from "lucide-react";
import type { SelectHTMLAttributes } from "react";
import { classNames } from "@/app/_components/class-names";
import { controlClass, Field, type FieldText } from "./field";

export type SelectOption = { value: string; label: string; disabled?: boolean };

type Props = FieldText &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, "id" | "children"> & {
    name: string;
    options: readonly SelectOption[];
  };

/** The native select element, styled like the other controls. */
export function Select({ label, hint, error, hideLabel, className, options, ...select }: Props) {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel} className={className}>
      {(wiring) => (
        <span className="relative block">
          <select {...select} {...wiring} className={classNames(controlClass, "appearance-none pr-9")}>
            {options.map((option) => (
              <option key={option.value} value={option.value} disabled={option.disabled}>
                {option.label}
              </option>
            ))}
          </select>
          <ChevronDown
            aria-hidden="true"
            className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted"
          />
        </span>
      )}
    </Field>
  );
}
