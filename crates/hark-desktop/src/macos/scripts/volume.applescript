-- How loud this Mac is. Arguments: "look", "mute", "unmute", or "set" and percent.
on run argv
	if (item 1 of argv) is "set" then
		set volume output volume ((item 2 of argv) as integer) without output muted
	else if (item 1 of argv) is "mute" then
		set volume with output muted
	else if (item 1 of argv) is "unmute" then
		set volume without output muted
	end if
	return get volume settings
end run
