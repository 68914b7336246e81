// What the server is asked.

export class StudioError extends Error {
  constructor(json, status) {
    super(json.message ?? `the server answered ${status}`);
    Object.assign(this, { hint: json.hint, code: json.code, sql: json.sql, offset: json.offset, status, details: json });
  }
}

/** Posts and reads JSON. Aborting the signal ends the connection, and with it what the server does for it. */
export async function ask(name, body = {}, signal = undefined) {
  const response = await fetch(`api/${name}`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal,
    credentials: "same-origin",
  }).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new StudioError({ message: "the server does not answer", hint: "it was stopped, perhaps: start corm studio again" }, 0);
  });
  const text = await response.text();
  let json;
  try { json = JSON.parse(text); } catch { json = { message: text.trim() }; }
  if (!response.ok) throw new StudioError(json, response.status);
  return json;
}

export async function files() {
  const response = await fetch("api/files", { credentials: "same-origin" });
  if (!response.ok) throw new StudioError({ message: (await response.text()).trim() }, response.status);
  return response.json();
}

export async function picture(body) {
  const response = await fetch("api/picture", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), credentials: "same-origin",
  });
  return response.ok ? response.blob() : null;
}

/** Hands a file of the server's to the browser to keep. */
export function download(path, query) {
  const link = document.createElement("a");
  link.href = `api/${path}?q=${encodeURIComponent(JSON.stringify(query))}`;
  link.download = "";
  link.click();
}

/** Hands a text that the page has made to the browser to keep. */
export function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export const isAbort = (error) => error?.name === "AbortError";
