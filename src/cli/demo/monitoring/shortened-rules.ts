// The rules and the routing that come with Dormouse, with a second in place of minutes and days.

/** The rules with shortened `for` and `keep_firing_for`. */
export const shortenRules = (rules: string): string =>
  replaceAll(rules, [[/^( +(?:keep_firing_)?for): .+$/gm, (_, key) => `${key}: 1s`]])

export type RoutingTarget = Readonly<{
  /** Base address of the receivers; each has its own path. */
  url: string
  /** File with the token that Alertmanager sends. */
  tokenFile: string
}>

/** The example routing with its addresses filled in. The receiver `nobody` gets an address, too, so that its notifications can be seen. */
export function shortenRouting(example: string, { url, tokenFile }: RoutingTarget): string {
  const token = JSON.stringify(tokenFile)
  const hook = `    webhook_configs:
      - url: https://your-receiver.example/nobody
        http_config: { authorization: { credentials_file: /run/secrets/receiver-token } }
`
  return replaceAll(example, [
    [/^ {2}- name: nobody\n/gm, (name) => name + hook],
    [/https:\/\/your-receiver\.example/g, () => url],
    [/\/run\/secrets\/receiver-token/g, () => token],
    [/(group_wait|group_interval): \S+/g, (_, key) => `${key}: 1s`],
  ])
}

type Replacement = readonly [pattern: RegExp, to: (...groups: string[]) => string]

/** @throws when a pattern matches nothing: the files have changed since the patterns were written */
function replaceAll(text: string, replacements: readonly Replacement[]) {
  let result = text
  for (const [pattern, to] of replacements) {
    const next = result.replace(pattern, to)
    if (next === result) throw new Error(`there is nothing like ${pattern.source} in the file`)
    result = next
  }
  return result
}
