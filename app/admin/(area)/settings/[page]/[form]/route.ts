import { settingFormHandler } from "@/app/admin/(area)/settings/_components/setting-form-handler";

interface Context {
  params: Promise<{ page: string; form: string }>;
}

/** POST: the form of a setting. The two path segments are the `address` of its entry in the settings registry. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { page, form } = await params;
  return settingFormHandler(`${page}/${form}`)(request, { params: Promise.resolve({}) });
}
