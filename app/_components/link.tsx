import NextLink from "next/link";
import type { ComponentProps } from "react";

/**
 * A link inside the site, without prefetching: every page is rendered per request, so a prefetched page would cost
 * queries and be thrown away.
 */
export function Link(props: ComponentProps<typeof NextLink>) {
  return <NextLink prefetch={false} {...props} />;
}
