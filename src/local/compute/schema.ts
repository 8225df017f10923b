// Stand-ins for the SQL objects of the service's extension `neon` (service-facts 8.1). Plain Postgres has none.

/** The database and the roles of a fresh project; passwords follow for each branch. */
export const CREATE_ROLES = `
create role neon_superuser nologin;
grant pg_monitor to neon_superuser with admin option;
create role app_owner login in role neon_superuser;
create role dormouse login connection limit 2 in role pg_monitor;
`

/** Apart from the roles: a database cannot be created inside a transaction. */
export const CREATE_DATABASE = 'create database app owner app_owner'

/**
 * Objects of the file cache, in schema public of every database made from \`template1\`.
 *
 * The cache is modelled, in closed form. Behind \`shared_buffers\` it sees only what missed there: A = blocks a relation
 * read since the start, P = its pages. Random reading leaves P(1 - e^(-A/P)) pages touched, each missed once; the other
 * A - touched accesses are repeats, and hit with the share of all pages that fits the cache, min(1, cache / sum P).
 * All pages count in that share, touched or not, so that reading alone never makes a counter fall. One page of this
 * machine stands for \`neon.cache_scale\` pages of the service wherever sizes are told.
 */
export const CREATE_CACHE_OBJECTS = `
insert into pg_catalog.pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
select pg_catalog.pg_nextoid('pg_catalog.pg_extension', 'oid', 'pg_catalog.pg_extension_oid_index'),
       'neon', 10, 'public'::regnamespace, true, '1.6';

create function public.neon_cache_model(share_of_uptime float8)
returns table (accesses float8, touched float8, pages float8, cache_pages float8, scale float8)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  with relation as (
    select greatest(0, pg_stat_get_blocks_fetched(oid) - pg_stat_get_blocks_hit(oid))::float8 * share_of_uptime as a,
           coalesce(pg_relation_size(oid), 0)::float8 / 8192 as p
    from pg_class
    where relkind in ('r', 'i', 'm', 't')
  ), s as (select current_setting('neon.cache_scale')::float8 as scale)
  select coalesce(sum(a), 0),
         coalesce(sum(case when p > 0 then least(a, p * (1 - exp(-a / p))) else a end), 0),
         coalesce(sum(p), 0),
         pg_size_bytes(current_setting('neon.file_cache_size_limit'))::float8 / 8192 / min(s.scale),
         min(s.scale)
  from relation, s
$$;

create function public.neon_get_lfc_stats() returns table (lfc_key text, lfc_value bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  with model as (select * from public.neon_cache_model(1)), counted as (
    select floor((accesses - touched) * least(1, cache_pages / greatest(1, pages)))::bigint as hits,
           floor(accesses)::bigint as total,
           floor(least(touched, cache_pages) * scale)::bigint as used_pages,
           floor(cache_pages * scale)::bigint as limit_pages
    from model
  )
  select key, value from counted, lateral (values
    ('file_cache_chunk_size_pages', 128::bigint),
    ('file_cache_misses', total - hits),
    ('file_cache_hits', hits),
    ('file_cache_used', (used_pages + 127) / 128),
    ('file_cache_writes', total - hits),
    ('file_cache_size', (used_pages + 127) / 128),
    ('file_cache_used_pages', used_pages),
    ('file_cache_evicted_pages', 0::bigint),
    ('file_cache_limit', limit_pages / 128),
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

create function public.approximate_working_set_size_seconds(duration integer default null) returns integer
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select floor(touched * scale)::integer
  from public.neon_cache_model(coalesce(least(1, greatest(0, duration) /
         greatest(1, extract(epoch from clock_timestamp() - pg_postmaster_start_time()))), 1)::float8)
$$;

revoke all on function public.neon_cache_model(float8) from public;
revoke all on function public.approximate_working_set_size_seconds(integer) from public;
grant execute on function public.approximate_working_set_size_seconds(integer) to pg_monitor;
grant select on public.neon_stat_file_cache to pg_monitor;
`
