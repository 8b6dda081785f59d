-- How loud this Mac is. Arguments: "look", or "set" and percent.
on run argv
	if (item 1 of argv) is "set" then
		set volume output volume ((item 2 of argv) as integer) without output muted
	end if
	return get volume settings
end run
