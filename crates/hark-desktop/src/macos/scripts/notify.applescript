-- Shows a notification. Arguments: the word "notify", title, text.
on run argv
	display notification (item 3 of argv) with title (item 2 of argv)
end run
