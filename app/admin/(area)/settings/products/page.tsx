import type { Metadata } from "next";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber } from "@/app/_components/figures";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { PLATFORM_LABELS } from "@/app/admin/_components/payment-labels";
import { PreviewNotice } from "@/app/admin/(area)/settings/_components/preview-notice";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { listProducts } from "@/db/queries/payments";
import { countBuyersByProduct, type ProductRow, productKey } from "@/db/queries/products";
import { plans, planTitle } from "@/lib/access/plans";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { PAYMENT_ADAPTERS } from "@/lib/vocabulary";
import type { SearchParams } from "@/lib/wire/query-filter";

export const metadata: Metadata = { title: "Products" };

const SAVE = "product.save";
const REMOVE = "product.remove";

/** The plan and days of each product of a payment platform, and the form for one of them. */
export default async function Products({ searchParams }: { searchParams: SearchParams }) {
  const session = await requireAdminSession(adminPaths.products());
  const { edit } = await searchParams;
  const [flash, products, buyers] = await Promise.all([
    consumeFlash(db(), session.sessionId),
    listProducts(db()),
    countBuyersByProduct(db()),
  ]);
  const hasGeneric = products.some(({ adapter }) => adapter === "generic");
  const form = formState(flash, SAVE);
  const removed = formState(flash, REMOVE);
  const named = removed.returned ? `${removed.values.adapter}/${removed.values.external_id}` : edit;
  const edited = products.find((product) => productKey(product) === named);
  const values = form.returned ? form.values : valuesOf(edited);
  const field = (name: string) => ({ name, defaultValue: values[name], error: form.errors[name] });
  const columns: Column<ProductRow>[] = [
    {
      key: "id",
      header: "Product",
      primary: true,
      cell: (product) => (
        <a href={adminPaths.products({ edit: productKey(product) })} className="link font-mono text-sm">
          {product.externalId}
        </a>
      ),
    },
    { key: "adapter", header: "Platform", cell: (product) => PLATFORM_LABELS[product.adapter] },
    { key: "plan", header: "Plan", cell: (product) => planTitle(product.planTier) },
    {
      key: "period",
      header: "Buys",
      unit: "days",
      align: "right",
      cell: (product) => formatNumber(product.periodDays),
    },
    {
      key: "grace",
      header: "Grace",
      unit: "days",
      align: "right",
      cell: (product) => formatNumber(product.graceDays),
    },
    {
      key: "trial",
      header: "Trial",
      unit: "days",
      align: "right",
      cell: (product) =>
        product.trialDays === null ? <span className="text-faint">–</span> : formatNumber(product.trialDays),
    },
    {
      key: "buyers",
      header: "Latest buyers",
      unit: "with access",
      align: "right",
      cell: (product) => formatNumber(buyers.get(productKey(product)) ?? 0),
    },
  ];
  return (
    <>
      <SettingsHeader
        title="Products"
        lead="The plan and days that a product, variant or price of a payment platform buys. A change applies from the next delivery on."
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <ActionForm needs="product.save" action={adminPaths.saveProduct()} className="space-y-6">
          <PreviewNotice flash={flash} form={SAVE} />
          <Card title={edited ? `Change ${edited.externalId}` : "Add a product"}>
            <div className="grid gap-5 sm:grid-cols-2 lg:grid-cols-3">
              <Select
                {...field("adapter")}
                label="Platform"
                options={PAYMENT_ADAPTERS.map((adapter) => ({
                  value: adapter,
                  label: PLATFORM_LABELS[adapter],
                }))}
              />
              <TextInput
                {...field("external_id")}
                label="Id of the product"
                required
                maxLength={100}
                spellCheck={false}
              />
              <Select
                {...field("plan_tier")}
                label="Plan"
                options={plans()
                  .filter(({ name }) => name !== "owner")
                  .map(({ name, title }) => ({ value: name, label: title }))}
              />
              <TextInput
                {...field("period_days")}
                label="Days that a payment buys"
                required
                inputMode="numeric"
              />
              <TextInput {...field("grace_days")} label="Days of grace" required inputMode="numeric" />
              <TextInput
                {...field("trial_days")}
                label="Days of a trial"
                inputMode="numeric"
                hint="For a trial whose end the platform does not send. Gumroad never marks trials: with days here, each first payment of a membership counts as one."
              />
            </div>
            <div className="mt-5 flex flex-wrap gap-2">
              <Button type="submit">Preview</Button>
              {edited && (
                <LinkButton href={adminPaths.products()} variant="quiet">
                  Add another instead
                </LinkButton>
              )}
            </div>
          </Card>
        </ActionForm>
        {edited && (
          <ActionForm needs="product.remove" action={adminPaths.removeProduct()} className="space-y-4">
            <PreviewNotice flash={flash} form={REMOVE} />
            <input type="hidden" name="adapter" value={edited.adapter} />
            <input type="hidden" name="external_id" value={edited.externalId} />
            <Button type="submit" size="small">
              Remove {edited.externalId}
            </Button>
          </ActionForm>
        )}
        <Card
          title="Products"
          lead={
            hasGeneric &&
            "Nine products of the platform Generic, with ids that begin with 303, come with a new installation: three for each of its plans. They have no effect until a payment names one, so you can leave, change or remove them."
          }
          flush
        >
          <DataTable caption="Products by platform" rows={products} rowKey={productKey} columns={columns} />
        </Card>
      </div>
    </>
  );
}

function valuesOf(product: ProductRow | undefined): Record<string, string> {
  if (!product) return { period_days: "31", grace_days: "3", plan_tier: "basic" };
  return {
    adapter: product.adapter,
    external_id: product.externalId,
    plan_tier: product.planTier,
    period_days: String(product.periodDays),
    grace_days: String(product.graceDays),
    trial_days: product.trialDays === null ? "" : String(product.trialDays),
  };
}
