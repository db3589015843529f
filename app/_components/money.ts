/** `49.90 USD`, with the decimals of the currency; only the amount if the platform sent no currency. */
export function formatMoney(amount: string, currency: string | null): string {
  const least =
    currency === null
      ? 2
      : new Intl.NumberFormat("en-GB", { style: "currency", currency }).resolvedOptions()
          .minimumFractionDigits;
  const written = new Intl.NumberFormat("en-GB", {
    minimumFractionDigits: least ?? 2,
    maximumFractionDigits: 4,
  });
  return `${written.format(Number(amount))}${currency === null ? "" : ` ${currency}`}`;
}
