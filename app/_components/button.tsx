import { type ButtonHTMLAttributes, type ReactNode, useId } from "react";
import { classNames } from "./class-names";

export type ButtonVariant = "primary" | "secondary" | "quiet" | "danger";
export type ButtonSize = "small" | "medium" | "large";

const VARIANT: Record<ButtonVariant, string> = {
  primary: "border-ink bg-ink text-paper hover:bg-ink/88",
  secondary: "border-line bg-raised text-ink hover:border-edge hover:bg-sunken",
  quiet: "border-transparent text-muted hover:bg-sunken hover:text-ink",
  danger: "border-danger/50 bg-raised text-danger hover:border-danger hover:bg-danger-soft",
};

const SIZE: Record<ButtonSize, string> = {
  small: "h-8 px-3 text-sm gap-1.5",
  medium: "h-10 px-4 text-sm gap-2",
  large: "h-12 px-6 text-base gap-2",
};

/** The styles shared by buttons and links that look like buttons. */
export function buttonClass(variant: ButtonVariant = "secondary", size: ButtonSize = "medium"): string {
  return classNames(
    "inline-flex shrink-0 items-center justify-center rounded-md border font-medium whitespace-nowrap transition-colors duration-100",
    "disabled:border-line disabled:bg-sunken disabled:text-faint aria-disabled:border-line aria-disabled:bg-sunken aria-disabled:text-faint",
    "[&_svg]:size-4 [&_svg]:shrink-0",
    VARIANT[variant],
    SIZE[size],
  );
}

type ButtonStyle = { variant?: ButtonVariant; size?: ButtonSize };

/** The reason is written next to the disabled control because a phone has no hover. */
function WithReason({ id, reason, children }: { id: string; reason: string; children: ReactNode }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
      {children}
      <span id={id} className="text-sm text-muted">
        {reason}
      </span>
    </span>
  );
}

/** A button. `disabledReason` disables it and says why. */
export function Button({
  variant,
  size,
  disabledReason,
  className,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & ButtonStyle & { disabledReason?: string }) {
  const reasonId = useId();
  const button = (
    <button
      type="button"
      {...rest}
      disabled={disabledReason !== undefined || rest.disabled}
      aria-describedby={disabledReason ? reasonId : rest["aria-describedby"]}
      className={classNames(buttonClass(variant, size), className)}
    />
  );
  if (!disabledReason) return button;
  return (
    <WithReason id={reasonId} reason={disabledReason}>
      {button}
    </WithReason>
  );
}

/** A link that looks like a button. `disabledReason` removes the link and shows the reason. */
export function LinkButton({
  href,
  variant,
  size,
  disabledReason,
  download,
  className,
  children,
}: ButtonStyle & {
  href: string;
  disabledReason?: string;
  download?: boolean;
  className?: string;
  children: ReactNode;
}) {
  const reasonId = useId();
  const linkClass = classNames(buttonClass(variant, size), className);
  if (disabledReason) {
    return (
      <WithReason id={reasonId} reason={disabledReason}>
        {/* biome-ignore lint/a11y/useFocusableInteractive: a link without a target is not a stop of the keyboard */}
        {/* biome-ignore lint/a11y/useSemanticElements: an anchor without href loses its role */}
        <span role="link" aria-disabled="true" aria-describedby={reasonId} className={linkClass}>
          {children}
        </span>
      </WithReason>
    );
  }
  // A download is not a page: the router must not render it.
  if (download) {
    return (
      <a href={href} download className={linkClass}>
        {children}
      </a>
    );
  }
  return (
    <a href={href} className={linkClass}>
      {children}
    </a>
  );
}
