/** Posts a sign-in form to a running server as a page of the site would. Returns the session cookie. */
export async function signInByForm(
  url: string,
  path: "/login/by-key" | "/admin/sign-in/enter",
  fields: Record<string, string>,
): Promise<string> {
  const answer = await fetch(url + path, {
    method: "POST",
    redirect: "manual",
    headers: { "Sec-Fetch-Site": "same-origin" },
    body: new URLSearchParams(fields),
  });
  const [pair] =
    answer.headers
      .getSetCookie()
      .find((cookie) => /session/.test(cookie))
      ?.split(";") ?? [];
  if (pair === undefined) throw new Error(`not signed in at ${path}: ${answer.status}`);
  return pair;
}
