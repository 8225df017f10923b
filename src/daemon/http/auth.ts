// What every request to the API passes: its Host, its token, its size.
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { problemBody } from './problem.ts'
import { findToken, type FailedLogins, type ApiToken } from './tokens.ts'

export type AuthPolicy = {
  /** Host names besides those of loopback. */
  readonly names: readonly string[]
  readonly tokens: readonly ApiToken[]
  /** Whether reading needs no token. */
  readonly open: boolean
}

export type AuthOptions = {
  /** As configured now. */
  readonly guarded: () => AuthPolicy
  readonly attempts: FailedLogins
  /** Of the client. */
  readonly addressOf: (context: Context) => string
}

/** The largest body. Doubled, a client can make Dormouse hold twice as much. */
const BODY = 65_536

export const authMiddleware = (options: AuthOptions): readonly MiddlewareHandler[] => [
  knownHost(options),
  allowed(options),
  bodyLimit({ maxSize: BODY, onError: (context) => context.json(problemBody('the body is too large'), 413) }),
]

/** A page on another site may resolve its own name to this address; it cannot choose the Host header. */
const knownHost =
  ({ guarded }: AuthOptions): MiddlewareHandler =>
  async (context, next) => {
    const name = (context.req.header('host') ?? '').replace(/:\d+$/, '').toLowerCase()
    if (!isLoopbackName(name) && !guarded().names.includes(name))
      return context.json(problemBody('unknown Host: server.names lists those that are known'), 403)
    await next()
    if (!context.res.headers.has('cache-control')) context.header('cache-control', 'no-store')
    context.header('x-content-type-options', 'nosniff')
    return undefined
  }

const isLoopbackName = (name: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name)

const allowed =
  (options: AuthOptions): MiddlewareHandler =>
  async (context, next) => {
    const refusal = refusalOf(context, options)
    if (!refusal) return next()
    const { status, because, wait } = refusal
    if (status === 401) context.header('www-authenticate', 'Bearer')
    if (wait !== undefined) context.header('retry-after', String(wait))
    return context.json(problemBody(because), status)
  }

type Refusal = { readonly status: 401 | 403 | 429; readonly because: string; readonly wait?: number }

const NEEDED: Refusal = { status: 401, because: 'a token is needed' }
const WRONG: Refusal = { status: 401, because: 'the token is wrong' }
const READS_ONLY: Refusal = { status: 403, because: 'the token has no scope operate' }
const NOBODY: Refusal = {
  status: 403,
  because: 'server.tokens has none of scope operate: nothing can be changed here',
}

function refusalOf(context: Context, { guarded, attempts, addressOf }: AuthOptions): Refusal | undefined {
  const { tokens, open } = guarded()
  const reads = context.req.method === 'GET' || context.req.method === 'HEAD'
  const text = bearerOf(context.req.header('authorization'))
  if (text === undefined && reads) return open ? undefined : NEEDED
  if (text === undefined) return changeRefused(tokens, undefined)
  const address = addressOf(context)
  const wait = attempts.wait(address)
  if (wait > 0) return { status: 429, because: 'too many wrong tokens', wait }
  const token = findToken(tokens, text)
  if (!token) attempts.failed(address)
  if (!token) return WRONG
  return reads ? undefined : changeRefused(tokens, token)
}

function changeRefused(tokens: readonly ApiToken[], token: ApiToken | undefined): Refusal | undefined {
  if (token?.scope === 'operate') return undefined
  if (!tokens.some(({ scope }) => scope === 'operate')) return NOBODY
  return token ? READS_ONLY : NEEDED
}

/** Undefined where no token is sent. */
const bearerOf = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : (/^bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '')
