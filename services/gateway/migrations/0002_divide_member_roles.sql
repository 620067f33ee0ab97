-- migrate:up
-- What a member could do is what a developer may do.
alter table gateway.memberships drop constraint memberships_role_check;
update gateway.memberships set role = 'developer' where role = 'member';
alter table gateway.memberships add check (role in ('owner', 'developer', 'billing', 'viewer'));

alter table gateway.invitations drop constraint invitations_role_check;
update gateway.invitations set role = 'developer' where role = 'member';
alter table gateway.invitations add check (role in ('owner', 'developer', 'billing', 'viewer'));

-- migrate:down
