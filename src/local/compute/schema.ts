// Stand-ins for the extension `neon` (service-facts 8.1), which plain Postgres does not have.

/** The first Postgres where `createrole` gives only roles that the role has made or may administer. */
const CREATEROLE_CONFINED = 16

/**
 * What roles of the API may do (source: neondatabase/neon, `compute_tools`, creation of roles). Not `replication`, which nothing here
 * serves; `createrole` only where it cannot take a role that runs programs on this machine.
 */
export const apiRoleOptions = (major: number): string =>
  `login createdb bypassrls ${major >= CREATEROLE_CONFINED ? 'createrole ' : ''}in role neon_superuser`

/** Their passwords are set on each branch. */
export const createRoles = (major: number): string => `
create role neon_superuser nologin;
grant pg_monitor to neon_superuser with admin option;
create role app_owner ${apiRoleOptions(major)};
create role dormouse login connection limit 2 in role pg_monitor;
`

/** Apart: no database can be created in a transaction. */
export const CREATE_DATABASE = 'create database app owner app_owner'

/** Counters of the cache model in a data folder; sizing.ts writes it. */
export const CACHE_FILE = 'neon_cache.json'

/** File cache objects, in schema public of `template1` and so of every database. They read `CACHE_FILE`. */
export const CREATE_CACHE_OBJECTS = `
insert into pg_catalog.pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
select pg_catalog.pg_nextoid('pg_catalog.pg_extension', 'oid', 'pg_catalog.pg_extension_oid_index'),
       'neon', 10, 'public'::regnamespace, true, '1.6';

create function public.neon_cache_state() returns jsonb
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pg_read_file('${CACHE_FILE}')::jsonb $$;

create function public.neon_get_lfc_stats() returns table (lfc_key text, lfc_value bigint)
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
  with cache as (select public.neon_cache_state() as state), counters as (
    select (state ->> 'hits')::bigint as hits,
           (state ->> 'misses')::bigint as misses,
           (state ->> 'used_pages')::bigint as used_pages,
           (state ->> 'evicted_pages')::bigint as evicted_pages,
           pg_size_bytes(current_setting('neon.file_cache_size_limit')) / 1048576 as limit_chunks
    from cache
  )
  select key, value from counters, lateral (values
    ('file_cache_chunk_size_pages', 128::bigint),
    ('file_cache_misses', misses),
    ('file_cache_hits', hits),
    ('file_cache_used', (used_pages + 127) / 128),
    ('file_cache_writes', misses),
    ('file_cache_size', (used_pages + 127) / 128),
    ('file_cache_used_pages', used_pages),
    ('file_cache_evicted_pages', evicted_pages),
    ('file_cache_limit', limit_chunks),
    ('file_cache_chunks_pinned', 0::bigint)
  ) as t (key, value)
$$;

create view public.neon_lfc_stats as select lfc_key, lfc_value from public.neon_get_lfc_stats();

create view public.neon_stat_file_cache as
with stats as (
  select max(lfc_value) filter (where lfc_key = 'file_cache_misses') as misses,
         max(lfc_value) filter (where lfc_key = 'file_cache_hits') as hits,
         max(lfc_value) filter (where lfc_key = 'file_cache_used') as used,
         max(lfc_value) filter (where lfc_key = 'file_cache_writes') as writes
  from public.neon_get_lfc_stats()
)
select misses as file_cache_misses, hits as file_cache_hits, used as file_cache_used, writes as file_cache_writes,
       round(hits * 100.0 / nullif(hits + misses, 0), 2)::numeric(5, 2) as file_cache_hit_ratio
from stats;

-- \`touched\`: pairs of an instant in seconds and the distinct pages touched since; between two, in proportion
create function public.approximate_working_set_size_seconds(duration integer default null) returns integer
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
  with period as (select extract(epoch from clock_timestamp())::float8 - duration as since), mark as (
    select (pair ->> 0)::float8 as at, (pair ->> 1)::float8 as pages,
           lead((pair ->> 0)::float8) over w as next_at, lead((pair ->> 1)::float8) over w as next_pages
    from jsonb_array_elements(public.neon_cache_state() -> 'touched') with ordinality as t (pair, position)
    window w as (order by position)
  )
  select round(coalesce(
    (select pages + (since - at) / (next_at - at) * (next_pages - pages)
       from mark, period where at <= since and since < next_at),
    (select max(pages) from mark where not exists (select from mark as m, period where m.at <= since)),
    0))::integer
$$;

revoke all on function public.neon_cache_state() from public;
revoke all on function public.approximate_working_set_size_seconds(integer) from public;
grant execute on function public.approximate_working_set_size_seconds(integer) to pg_monitor;
grant select on public.neon_stat_file_cache to pg_monitor;
`
