print("kulanz")
